/** Labels of the chips with the header's lines, by model. */
export const HEADER_CHIPS: readonly string[] = ['pinctrl-bcm2835', 'pinctrl-bcm2711', 'pinctrl-rp1'];

/** True if the lines of a GPIO board are the header's: their offsets are BCM numbers. */
export function isOnHeader({ chip }: { chip?: string }): boolean {
  return chip === undefined || HEADER_CHIPS.includes(chip);
}

/** Which GPIO chip the settings mean. Chips are found by their label: their numbers change with kernels and cables. */
import { HEADER_CHIPS } from '@relaygate/shared/header-chips';

interface LabelledChip {
  label: string;
  lines: number;
}

/** The chips with the label; without a label, those of the Raspberry Pi's header. */
export function chipsLabelled<Chip extends LabelledChip>(chips: readonly Chip[], label: string | undefined): Chip[] {
  const labels = label === undefined ? HEADER_CHIPS : [label];
  return chips.filter((chip) => labels.includes(chip.label));
}

/** The one chip with the label, if it has these lines; else null, and `chipNamed` says why. */
export function chipFor<Chip extends LabelledChip>(
  chips: readonly Chip[],
  label: string | undefined,
  offsets: readonly number[],
): Chip | null {
  const [chip, ...others] = chipsLabelled(chips, label);
  return chip && others.length === 0 && offsets.every((offset) => offset < chip.lines) ? chip : null;
}

/** What holds relays open until the guard drives them, in words. */

export interface Cure {
  bcm: number;
  /** For config.txt: drives the line inactive some seconds after power comes, long before the guard. null: the UART has the line. */
  configLine: string | null;
  /** Holds the line from the first moment; null: no resistor can, so another pin must be used. */
  resistor: string | null;
}

/** What holds a relay open from the first moment, in a phrase. */
export function holdWords({ bcm, resistor }: Cure): string {
  return resistor ?? `none can at BCM ${bcm}: use another line`;
}

/** Those for config.txt, of the lines that have one. */
export function configLinesOf(cures: readonly Cure[]): string[] {
  return cures.flatMap(({ configLine }) => configLine ?? []);
}

/** What somebody must do before a board with such relays is used, in a sentence without its end. */
export function cureWords(cures: readonly Cure[]): string {
  const held = cures.filter(({ resistor }) => resistor !== null);
  const others = cures.flatMap(({ bcm, resistor }) => (resistor === null ? [bcm] : []));
  const another = `use another line than BCM ${others.join(', ')}`;
  if (held.length === 0) return another.replace('u', 'U');
  const lines = configLinesOf(held);
  const config = lines.length === 0 ? '' : ` and in config.txt by ${lines.join(', ')}`;
  return `Hold them open by a resistor each (${held.map(holdWords).join(', ')})${config}${others.length === 0 ? '' : `; ${another}`}`;
}

/** For lines that are not the header's. */
export function unknownChipWords(chip: string): string {
  return (
    `nobody knows what the lines of chip "${chip}" do at power-on, before the guard runs. If no relay closes by them, or nobody ` +
    'is harmed'
  );
}

/** The other side's text, made fit for a log and a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 150);
}

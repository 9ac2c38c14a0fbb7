/** A message in one line, as every complaint of the programs is. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ');
}

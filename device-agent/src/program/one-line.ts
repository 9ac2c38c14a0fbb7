/** A message in one line, as every complaint of the programs is. */
export function oneLine(text: string): string {
  return text
    .split(/[\r\n\v\f\u0085\u2028\u2029]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}

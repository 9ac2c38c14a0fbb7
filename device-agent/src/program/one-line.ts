/** A message in one line, as every complaint of the programs is. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n\v\f\u0085\u2028\u2029]+\s*/g, ' ').trim();
}

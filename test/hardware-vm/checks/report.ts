/** A line for people, beside the tests' own. */
export function report(line: string): void {
  process.stderr.write(`  ${line}\n`);
}

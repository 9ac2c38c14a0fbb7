/** How the commands of a button are called, which are entered in the history. `atMs`: on the guard's clock. */
export function buttonCommandId(numInput: number, what: 'press' | 'release', atMs: number): string {
  return `button-${numInput}-${what}-${Math.round(atMs)}`;
}

export function isOfButton(commandId: string): boolean {
  return commandId.startsWith('button-');
}

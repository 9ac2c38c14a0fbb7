/** How the commands of a button are called: those that begin something are entered in the history. */

/** `atMs`: of its edge, on the guard's clock; no input has two presses in one millisecond. */
export function pressId(numInput: number, atMs: number): string {
  return `press-${numInput}-${Math.round(atMs)}`;
}

export function isPressId(commandId: string): boolean {
  return commandId.startsWith('press-');
}

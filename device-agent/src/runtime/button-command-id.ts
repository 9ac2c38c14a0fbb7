/** Whether a command is one of a button, by its id. */
export function isOfButton(commandId: string): boolean {
  return commandId.startsWith('button-');
}

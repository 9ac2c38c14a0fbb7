/** "maxOnMs" is "max-on-ms" on a command line. */
export function flagOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

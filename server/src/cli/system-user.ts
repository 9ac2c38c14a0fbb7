import { userInfo } from 'node:os';
import { plainLine, SYSTEM_USER_MAX_CHARS } from '@relaygate/shared';

/**
 * Who runs this command: who called sudo, else the user of the process. Anybody can set SUDO_USER, so its control characters
 * are escaped and its length is limited to SYSTEM_USER_MAX_CHARS.
 */
export function systemUser(
  env: Readonly<Record<string, string | undefined>>,
  userName: () => string = () => userInfo().username,
): string {
  const name = env.SUDO_USER ? env.SUDO_USER : nameOfUser(userName);
  return [...plainLine(name)].slice(0, SYSTEM_USER_MAX_CHARS).join('');
}

/** In a container a user id may have no name. */
function nameOfUser(userName: () => string): string {
  try {
    return userName();
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { codeOf, problemOf } from '../runtime/problem';

/** What the system's refusal to open a GPIO board means, and what to do about it. `what` is what was being opened. */
export function gpioProblem(error: unknown, what: string): RelaygateError {
  if (error instanceof RelaygateError) return error;
  const code = codeOf(error);
  const because = { cause: error };
  switch (code) {
    case 'ENOENT':
    case 'ENXIO':
    case 'ENODEV':
      return new RelaygateError(
        'board-unusable',
        `${what} is not there (${code}): look at the board's cable and at "gpiodetect".`,
        because,
      );
    case 'EACCES':
    case 'EPERM':
      return new RelaygateError(
        'board-unusable',
        `${what} is not for this user (${code}): let the guard run in the group gpio, or as root.`,
        because,
      );
    case 'EBUSY':
      return new RelaygateError(
        'board-busy',
        `${what} is held by another program; stop that, or choose other lines in settings.json.`,
        because,
      );
    case 'EINVAL':
    case 'ENOTTY':
      return new RelaygateError(
        'board-unusable',
        `${what} is refused by this kernel (${code}): /dev/gpiochip* needs Linux 5.10 or newer; on an older one set ` +
          'board.kind in settings.json to "gpio-sysfs".',
        because,
      );
    default:
      return new RelaygateError('board-unusable', `${what} cannot be opened: ${problemOf(error)}.`, because);
  }
}

/** Why a GPIO board cannot be opened, in words: loaded when it cannot. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { codeOf, problemOf } from '../runtime/problem';
import { chipsLabelled } from './gpio-chips';
import type { GpioKernel } from './gpio-kernel';
import { chipAt, type KernelChip, withChip } from './kernel-chips';
import { holderOf } from './line-holder';

/** Looks again at every chip. Where the one wanted is not among those that may be opened, the refusal says more. */
export function linesProblem(
  error: unknown,
  kernel: GpioKernel,
  label: string | undefined,
  offsets: readonly number[],
): unknown {
  const refusals: unknown[] = [];
  const paths = kernel.chips();
  if (paths.length === 0) {
    return new RelaygateError(
      'board-unusable',
      'This kernel has no /dev/gpiochip*: the GPIO driver is not loaded, or on an old kernel set board.kind to "gpio-sysfs".',
    );
  }
  const chips = paths.flatMap((path) => {
    try {
      return [chipAt(kernel, path)];
    } catch (refusal) {
      refusals.push(gpioProblem(refusal, path));
      return [];
    }
  });
  let chip: KernelChip;
  try {
    chip = chipNamed(chips, label, offsets);
  } catch (problem) {
    return refusals[0] ?? problem;
  }
  try {
    const code = codeOf(error);
    if (code === 'EBUSY') return busyProblem(kernel, chip, offsets, error);
    // Of a chip that is there.
    if (code === 'ENODEV' || code === 'ENXIO') return edgesProblem(chip, error);
  } catch {
    // The chip has gone, or cannot be opened: who holds its lines is not to be found out.
  }
  return gpioProblem(error, `The GPIO chip "${chip.label}" (${chip.path})`);
}

/** The one chip with the label and these lines; without a label, that of the Raspberry Pi's header. Throws `board-unusable`. */
export function chipNamed<Chip extends { label: string; lines: number }>(
  chips: readonly Chip[],
  label: string | undefined,
  offsets: readonly number[],
): Chip {
  const [chip, ...others] = chipsLabelled(chips, label);
  if (!chip) throw new RelaygateError('board-unusable', `${absence(label)}${presence(chips)}`);
  if (others.length > 0) {
    throw new RelaygateError(
      'board-unusable',
      `${others.length + 1} GPIO chips are labelled "${chip.label}", and nothing tells which is meant.`,
    );
  }
  const missing = offsets.find((offset) => offset >= chip.lines);
  if (missing === undefined) return chip;
  throw new RelaygateError(
    'board-unusable',
    `The GPIO chip "${chip.label}" has the lines 0 to ${chip.lines - 1}, and no ${missing}: mend board.lines in settings.json.`,
  );
}

function absence(label: string | undefined): string {
  return label === undefined
    ? 'No GPIO chip of a Raspberry Pi is here: set board.chip in settings.json to the label of the one to use; '
    : `No GPIO chip is labelled "${label}": mend board.chip in settings.json; `;
}

function presence(chips: readonly { label: string }[]): string {
  if (chips.length === 0) return 'there are none at all.';
  return `there are ${chips.map(({ label }) => `"${label}"`).join(', ')}.`;
}

function busyProblem(
  kernel: GpioKernel,
  { label, path }: KernelChip,
  offsets: readonly number[],
  cause: unknown,
): RelaygateError {
  const held = withChip(kernel, path, (chip) =>
    offsets.flatMap((offset) => {
      const holder = holderOf(kernel, chip, offset);
      return holder === null ? [] : [`line ${offset} by "${holder}"`];
    }),
  );
  const who = held.length > 0 ? held.join(', ') : 'by a program that is gone by now';
  return new RelaygateError(
    'board-busy',
    `The GPIO chip "${label}" is in use: ${who}. Stop that program, or choose other lines in settings.json.`,
    { cause },
  );
}

function edgesProblem({ label }: KernelChip, cause: unknown): RelaygateError {
  return new RelaygateError(
    'board-unusable',
    `The inputs of the GPIO chip "${label}" cannot say when they change (${codeOf(cause)}): use a chip with interrupts.`,
    { cause },
  );
}

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

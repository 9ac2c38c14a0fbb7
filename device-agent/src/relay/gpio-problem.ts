/** Why a GPIO board cannot be opened, in words: loaded when it cannot. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { boardRefused } from '../runtime/board-refused';
import type { Cause } from '../runtime/cause';
import { causeOf, codeOf } from '../runtime/problem';
import { chipsLabelled } from './gpio-chips';
import type { GpioKernel } from './gpio-kernel';
import { chipAt, type KernelChip, withChip } from './kernel-chips';
import { holderOf } from './line-holder';

/** Looks again at every chip. If the wanted chip is not among those that may be opened, the refusal says more. */
export function linesProblem(
  error: unknown,
  kernel: GpioKernel,
  label: string | undefined,
  offsets: readonly number[],
): unknown {
  const refusals: unknown[] = [];
  const paths = kernel.chips();
  if (paths.length === 0) return boardRefused('board-unusable', 'no-gpio', {});
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
    // The chip itself is there.
    if (code === 'ENODEV' || code === 'ENXIO')
      return boardRefused('board-unusable', 'chip-without-edges', { label: chip.label, code }, { cause: error });
  } catch {
    // The chip has gone or cannot be opened, so nobody can find out who holds its lines.
  }
  const { label: chipLabel, path } = chip;
  return gpioProblem(error, { code: 'gpio-chip', values: { label: chipLabel, path } });
}

/** The one chip with the label and these lines; without a label, that of the Raspberry Pi's header. Throws `board-unusable`. */
export function chipNamed<Chip extends { label: string; lines: number }>(
  chips: readonly Chip[],
  label: string | undefined,
  offsets: readonly number[],
): Chip {
  const [chip, ...others] = chipsLabelled(chips, label);
  if (!chip) {
    const labels = chips.map((other) => other.label);
    throw label === undefined
      ? boardRefused('board-unusable', 'no-chip-of-header', { labels })
      : boardRefused('board-unusable', 'no-chip-labelled', { label, labels });
  }
  if (others.length > 0)
    throw boardRefused('board-unusable', 'chips-alike', { count: others.length + 1, label: chip.label });
  const missing = offsets.find((offset) => offset >= chip.lines);
  if (missing === undefined) return chip;
  const { lines } = chip;
  throw boardRefused('board-unusable', 'chip-without-line', { label: chip.label, last: lines - 1, line: missing });
}

function busyProblem(
  kernel: GpioKernel,
  { label, path }: KernelChip,
  offsets: readonly number[],
  cause: unknown,
): RelaygateError {
  const holders = withChip(kernel, path, (chip) =>
    offsets.flatMap((line) => {
      const by = holderOf(kernel, chip, line);
      return by === null ? [] : [{ line, by }];
    }),
  );
  return boardRefused('board-busy', 'chip-in-use', { label, holders }, { cause });
}

/** What the system's refusal to open a GPIO board means, and what to do about it. `what` is what was being opened. */
export function gpioProblem(error: unknown, what: Cause): RelaygateError {
  if (error instanceof RelaygateError) return error;
  const code = codeOf(error);
  const because = { cause: error };
  switch (code) {
    case 'ENOENT':
    case 'ENXIO':
    case 'ENODEV':
      return boardRefused('board-unusable', 'gpio-not-there', { what, code }, because);
    case 'EACCES':
    case 'EPERM':
      return boardRefused('board-unusable', 'gpio-not-allowed', { what, code }, because);
    case 'EBUSY':
      return boardRefused('board-busy', 'gpio-held', { what }, because);
    case 'EINVAL':
    case 'ENOTTY':
      return boardRefused('board-unusable', 'gpio-refused', { what, code }, because);
    default:
      return boardRefused('board-unusable', 'gpio-unopened', { what, problem: causeOf(error) }, because);
  }
}

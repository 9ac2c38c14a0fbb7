/** Which GPIO chip the settings mean. Chips are found by their label: their numbers change with kernels and cables. */

import { HEADER_CHIPS } from '@relaygate/shared/header-chips';
import { RelaygateError } from '@relaygate/shared/relaygate-error';

/** The one chip with the label; without a label, that of the Raspberry Pi's header. Throws `board-unusable`. */
export function chipNamed<Chip extends { label: string; lines: number }>(
  chips: readonly Chip[],
  label: string | undefined,
  offsets: readonly number[],
): Chip {
  const labels = label === undefined ? HEADER_CHIPS : [label];
  const [chip, ...others] = chips.filter((candidate) => labels.includes(candidate.label));
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

import { isDeepStrictEqual } from 'node:util';
import {
  type DeviceSettings,
  type InputChange,
  type InputSettings,
  isOfButtons,
  parseInputSettings,
} from '@relaygate/shared/device';
import { flagOf } from '../../runtime/flag';
import { refused } from '../../runtime/refused';

/** Settings with another meaning of an input; null: without any. Throws `out-of-range` if that is no meaning. */
export function withInput(settings: DeviceSettings, numInput: number, change: InputChange | null): DeviceSettings {
  const { inputs = [], ...others } = settings;
  const before = inputs.find((input) => input.numInput === numInput);
  if (change === null) {
    if (!before) throw refused('out-of-range', 'input-without-meaning', { numInput });
    const left = inputs.filter((input) => input !== before);
    return left.length === 0 ? others : { ...settings, inputs: left };
  }
  const after = changedInput(before, numInput, change);
  return {
    ...settings,
    inputs: before ? inputs.map((input) => (input === before ? after : input)) : [...inputs, after],
  };
}

function changedInput(before: InputSettings | undefined, numInput: number, change: InputChange): InputSettings {
  const { kind = before?.kind, ...members } = change;
  const isButton = kind === 'button';
  const foreign = Object.keys(members).find((member) => !isButton && isOfButtons(member));
  if (kind !== undefined && foreign !== undefined)
    throw refused('out-of-range', 'input-no-button', { numInput, flag: flagOf(foreign) });
  // A contact that was a button switches nothing any more.
  const kept = Object.entries(before ?? {}).filter(([member]) => isButton || !isOfButtons(member));
  const after: Partial<Record<string, unknown>> = { kind, numInput, ...Object.fromEntries(kept), ...change };
  const needed = ['kind', 'name', ...(isButton ? ['output', 'action'] : [])];
  const missing = needed.filter((member) => after[member] === undefined);
  if (missing.length > 0) throw refused('out-of-range', 'input-incomplete', { numInput, members: missing.join(', ') });
  const parsed = parseInputSettings(after);
  if (parsed.ok) return parsed.value;
  throw refused('out-of-range', 'input-impossible', { numInput, problem: parsed.fault ?? parsed.problem });
}

/** True if both give the same inputs the same meanings. */
export function isSameInputs(one: readonly InputSettings[], other: readonly InputSettings[]): boolean {
  // A file may have them in any order.
  const [left, right] = [one, other].map((inputs) => inputs.toSorted((a, b) => a.numInput - b.numInput));
  return isDeepStrictEqual(left, right);
}

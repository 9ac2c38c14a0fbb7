import { type Fault, fault } from '../../runtime/fault';
import type { WatchedInput } from './watched-input';

/** What is wrong with an input; null: nothing. */
export function inputFault({ settings, isActive, problem }: WatchedInput, isStuck: boolean): Fault | null {
  const { numInput, name, kind } = settings;
  const values = { numInput, name };
  if (problem === 'flapping') return fault('input-flapping', values);
  if (problem === 'unread') return fault('input-unread', values);
  if (isStuck) return fault('button-stuck', values);
  return kind === 'tamper' && isActive === false ? fault('tamper-open', values) : null;
}

import type { GuardFault } from '../../runtime/guard-fault';
import type { WatchedInput } from './watched-input';

/** What is wrong with an input; null: nothing. */
export function inputFault({ settings, isActive, problem }: WatchedInput, isStuck: boolean): GuardFault | null {
  const { numInput, name, kind } = settings;
  const values = { numInput, name };
  if (problem === 'flapping') return { code: 'input-flapping', values };
  if (problem === 'unread') return { code: 'input-unread', values };
  if (isStuck) return { code: 'button-stuck', values };
  return kind === 'tamper' && isActive === false ? { code: 'tamper-open', values } : null;
}

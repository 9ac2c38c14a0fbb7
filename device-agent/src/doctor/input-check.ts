/** Inputs that mean something: what the guard reads now, and whether that fits what is wired to them. */
import type { Check } from './check-context';
import { fail, ok, warn } from './finding';

/** Faults that this check reports. */
export const INPUT_FAULTS: readonly string[] = ['button-stuck', 'input-flapping', 'input-unread'];

export const inputLevels: Check = ({ status }) => {
  if (!status) return warn('inputs-unknown', {});
  const { guard, inputs = [], faults } = status;
  if (inputs.length === 0) return ok('no-inputs', {});
  if (!guard.isReachable) return warn('inputs-unknown', {});
  const texts = faults.flatMap(({ code, text }) => (INPUT_FAULTS.includes(code) ? [text] : []));
  const unmoved = inputs.filter(({ hasChanged }) => hasChanged === false);
  const pressed = unmoved.filter(({ state }) => state === 'pressed');
  if (texts.length + pressed.length > 0) return fail('inputs-ill', { inputs, texts, pressed });
  const contacts = unmoved.filter(({ kind }) => kind === 'contact');
  return contacts.length > 0 ? warn('inputs-unmoved', { inputs, contacts }) : ok('inputs-read', { inputs });
};

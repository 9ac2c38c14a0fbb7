import { OutputName, parserOf } from '@relaygate/shared';
import { type InputSettings, parseInputSettings } from '@relaygate/shared/device';
import { action } from '../../../ipc/schema-action';
import { localeOf } from '../../../locales/locales';
import type { RequestLife } from '../../commands/late-request';
import { happened } from '../../history/happened';
import { type InputReply, InputRequest, type InputsReply, InputsRequest } from '../local-messages/inputs';
import type { ActionDeps } from './action-deps';
import { allowedChange } from './allowed-change';
import { inputForm } from './input-form';
import { timelyAction } from './timely-action';

/** A valid input with every member, to check one member at a time. */
const PROBE: InputSettings = { kind: 'button', numInput: 0, name: 'a', output: 0, action: 'pulse' };
const isText = parserOf(OutputName);

/** What inputs mean, for the next start of the guard. */
export function inputActions({ settings, events, clock }: ActionDeps) {
  async function input({ numInput, change, actor }: InputRequest, life: RequestLife): Promise<InputReply> {
    const allowed = change && allowedChange(change, isAllowed);
    const { before, after } = await settings.changeInput(numInput, allowed, actor, life);
    const { mustRestart } = settings.inputs;
    if (JSON.stringify(before) !== JSON.stringify(after))
      events.report('settings', happened('input-changed', { numInput, before, after, actor, mustRestart }));
    return { numInput, before, after, mustRestart };
  }
  return {
    inputs: action(InputsRequest, async ({ language }): Promise<InputsReply> => {
      if (language === undefined) return settings.inputs;
      return { ...settings.inputs, form: inputForm(localeOf(language).console, settings.next.outputs) };
    }),
    input: timelyAction(clock, InputRequest, input),
  };
}

/** Checks one member: of a name only the length; the kind is checked by the request's schema. */
function isAllowed(member: string, value: unknown): boolean {
  if (member === 'name') return isText(value).ok;
  return member === 'kind' || parseInputSettings({ ...PROBE, [member]: value }).ok;
}

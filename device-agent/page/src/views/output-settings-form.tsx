/** Name, mode and pulse duration of an output. The agent says what they may be. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { OutputStatus } from '../../../src/agent/technician/local-messages/device';
import type { OutputReply, OutputRequest } from '../../../src/agent/technician/local-messages/outputs';
import type { Words } from '../../../src/locales/page';
import { exactly } from '../duration';
import { usePage } from '../page-context';
import type { Action } from '../parts/action';
import { SaveOrCancel } from '../parts/save-or-cancel';
import { TextField } from '../parts/text-field';

type Change = OutputRequest['change'];
type Mode = OutputStatus['mode'];
const MODES = ['on-off', 'impulse'] as const satisfies readonly Mode[];
const MEMBERS = ['name', 'mode', 'pulseMs'] as const;

interface OutputSettingsFormProps {
  output: OutputStatus;
  action: Action;
  onClose(): void;
}

export function OutputSettingsForm({ output, action, onClose }: OutputSettingsFormProps): JSX.Element {
  const { words, session, isLost, ask } = usePage();
  const [name, setName] = useState(output.name);
  const [mode, setMode] = useState<Mode>(output.mode);
  const [pulse, setPulse] = useState(String(output.pulseMs));
  const id = useId();
  const { pulseMs: range } = session.limits;
  const isOut = action.isBusy || isLost;

  const submit = (event: Event): void => {
    event.preventDefault();
    if (isOut) return;
    if (!/^\d+$/.test(pulse.trim())) return action.show({ isWell: false, text: words.noWholeNumber });
    const change = differences(output, { name, mode, pulseMs: Number(pulse) });
    if (Object.keys(change).length === 0) return action.show({ isWell: true, text: words.nothingChanged });
    action.run(async () => {
      const body = { numOutput: output.numOutput, change, force: false };
      const { before, after } = await ask<OutputReply>('output', body);
      onClose();
      return words.saved(changesInWords(words, before, after));
    });
  };

  return (
    <form class="panel" onSubmit={submit}>
      <TextField
        label={words.pulseInMs}
        hint={`${words.range(exactly(words, range.min), exactly(words, range.max))} ${words.appliesNext}`}
        value={pulse}
        onText={setPulse}
        inputMode="numeric"
      />
      <TextField label={words.name} value={name} onText={setName} />
      <fieldset class="field">
        <legend>{words.mode}</legend>
        <div class="pair">
          {MODES.map((choice) => (
            <label key={choice} class="choice">
              <input type="radio" name={`${id}-mode`} checked={mode === choice} onChange={() => setMode(choice)} />
              {words.modes[choice]}
            </label>
          ))}
        </div>
      </fieldset>
      <SaveOrCancel save={words.save} isOut={isOut} onCancel={onClose} />
    </form>
  );
}

function differences(
  before: OutputStatus,
  { name, mode, pulseMs }: Required<Pick<Change, 'name' | 'pulseMs'>> & { mode: Mode },
): Change {
  return {
    ...(name === before.name ? {} : { name }),
    ...(mode === before.mode ? {} : { mode }),
    ...(pulseMs === before.pulseMs ? {} : { pulseMs }),
  };
}

function changesInWords(words: Words, before: OutputReply['before'], after: OutputReply['after']): string {
  const shown = ({ name, mode, pulseMs }: OutputReply['before']) => ({
    name,
    mode: words.modes[mode],
    pulseMs: exactly(words, pulseMs),
  });
  const [from, to] = [shown(before), shown(after)];
  return MEMBERS.filter((member) => from[member] !== to[member])
    .map((member) => `${from[member]} → ${to[member]}`)
    .join(', ');
}

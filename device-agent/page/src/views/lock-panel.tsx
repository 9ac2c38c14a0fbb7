/** Maintenance: no remote command moves this output. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { OutputStatus } from '../../../src/agent/technician/local-messages/device';
import { inWords } from '../duration';
import { usePage } from '../page-context';
import type { Action } from '../parts/action';
import { ArmedButton } from '../parts/armed-button';
import { PanelForm } from '../parts/panel-form';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The lengths to choose from, within the agent's limits. */
const LENGTHS_MS = [30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS, 24 * HOUR_MS, 168 * HOUR_MS];

interface LockPanelProps {
  output: OutputStatus;
  action: Action;
  onClose(): void;
}

export function LockPanel({ output, action, onClose }: LockPanelProps): JSX.Element {
  const { t, ask } = usePage();
  const unlock = async (): Promise<string> => {
    await ask('unlock', { numOutput: output.numOutput });
    onClose();
    return t.unlocked;
  };
  if (!output.lock) return <LockForm output={output} action={action} onClose={onClose} />;
  return (
    <div class="panel">
      <ArmedButton
        kind="primary"
        armed={t.again.unlock}
        isBusy={action.isBusy}
        moves={false}
        onConfirmed={() => action.run(unlock)}
      >
        {t.unlock}
      </ArmedButton>
    </div>
  );
}

function LockForm({ output: { numOutput }, action, onClose }: LockPanelProps): JSX.Element {
  const { t, session, ask } = usePage();
  const [forMs, setForMs] = useState(HOUR_MS);
  const id = useId();
  const { min, max } = session.limits.lockMs;

  const save = (): void => {
    action.run(async () => {
      const locked = await ask('lock', { numOutput, forMs });
      onClose();
      return t.lockedFor(inWords(t, locked.forMs));
    });
  };

  return (
    <PanelForm action={action} save={t.lockNow} onSave={save} onCancel={onClose}>
      <p class="hint">{t.lockMeans}</p>
      <div class="field">
        <label for={id}>{t.lockFor}</label>
        <select id={id} value={forMs} onChange={(event) => setForMs(Number(event.currentTarget.value))}>
          {LENGTHS_MS.filter((lengthMs) => lengthMs >= min && lengthMs <= max).map((lengthMs) => (
            <option key={lengthMs} value={lengthMs}>
              {inWords(t, lengthMs)}
            </option>
          ))}
        </select>
      </div>
    </PanelForm>
  );
}

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { OutputStatus } from '../../../src/agent/technician/local-messages/device';
import { calmly, leftInWords, pulseInWords } from '../duration';
import { usePage } from '../page-context';
import { Outcome, useAction } from '../parts/action';
import { Card } from '../parts/card';
import { Icon } from '../parts/icons';
import { Notice } from '../parts/notice';
import { useNow } from '../parts/now';
import { PanelButton } from '../parts/panel-button';
import { LockPanel } from './lock-panel';
import { OutputMoves } from './output-moves';
import { OutputSettingsForm } from './output-settings-form';

type Panel = 'settings' | 'lock';

/** One output. Below it at most one panel is open. */
export function OutputCard({ output }: { output: OutputStatus }): JSX.Element {
  const { t } = usePage();
  const [open, setOpen] = useState<Panel | null>(null);
  const action = useAction();
  const { numOutput, name, mode, pulseMs } = output;
  const close = (): void => setOpen(null);
  const toggle = (panel: Panel): void => setOpen(open === panel ? null : panel);

  return (
    <Card title={name} aside={<StatePill state={output.state} />}>
      <p class="small under">
        {t.output(numOutput)} · {t.choices.mode[mode]}
        {mode === 'impulse' && ` · ${pulseInWords(t, pulseMs)}`}
      </p>
      {output.pulseLeftMs !== undefined && <RunningPulse leftMs={output.pulseLeftMs} pulseMs={pulseMs} />}
      <Notes output={output} />
      <OutputMoves output={output} action={action} />
      <Outcome action={action} />
      <div class="pair">
        <PanelButton icon="settings" isOpen={open === 'settings'} onClick={() => toggle('settings')}>
          {t.change}
        </PanelButton>
        <PanelButton icon="lock" isOpen={open === 'lock'} onClick={() => toggle('lock')}>
          {t.lock}
        </PanelButton>
      </div>
      {open === 'settings' && <OutputSettingsForm output={output} action={action} onClose={close} />}
      {open === 'lock' && <LockPanel output={output} action={action} onClose={close} />}
    </Card>
  );
}

/** Shown by shape and word as well as by colour. */
function StatePill({ state }: { state: OutputStatus['state'] }): JSX.Element {
  const { t } = usePage();
  const name = state === null ? 'unknown' : state === 1 ? 'on' : 'off';
  return (
    <p class={`state ${name}`}>
      <Icon name={name} />
      {t.state[name]}
    </p>
  );
}

const FRAME_MS = 100;

/** Counts down between two answers of the agent. */
function RunningPulse({ leftMs, pulseMs }: { leftMs: number; pulseMs: number }): JSX.Element {
  const { t, statusAtMs } = usePage();
  const left = Math.max(0, leftMs - (useNow(FRAME_MS) - statusAtMs));
  const share = left / Math.max(pulseMs, leftMs);
  return (
    <div class="running">
      <p>{t.pulseLeft(leftInWords(t, left))}</p>
      <div class="bar" style={{ width: `${share * 100}%` }} />
    </div>
  );
}

function Notes({ output }: { output: OutputStatus }): JSX.Element | null {
  const { t } = usePage();
  const { notes } = t;
  const { state, unproven, confirmedBy, pulseEndedBy, endedBy, lock } = output;
  const lines = [
    ...(unproven ? [notes.unproven] : []),
    ...(state !== null && confirmedBy ? [notes.asWritten] : []),
    ...(pulseEndedBy ? [notes.endedByBoard] : []),
    ...(state === 0 && endedBy ? [notes.endedBy(endedBy)] : []),
  ];
  return (
    <>
      {lock && (
        <Notice kind="calm" icon="lock">
          {notes.locked(calmly(t, lock.leftMs), lock.by)}
          {lock.isUnsaved && ` ${t.unsaved}`}
        </Notice>
      )}
      {lines.map((line) => (
        <p key={line} class="note">
          {line}
        </p>
      ))}
    </>
  );
}

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { InputStatus } from '../../../src/agent/technician/local-messages/device';
import { capital } from '../../../src/locales/page';
import { inWords } from '../duration';
import { usePage } from '../page-context';
import { Outcome, useAction } from '../parts/action';
import { Card } from '../parts/card';
import { Icon } from '../parts/icons';
import { PanelButton } from '../parts/panel-button';
import { InputForm } from './input-form';

/** Inputs that mean something: what they show, for how long, and what they mean. */
export function InputsCard(): JSX.Element {
  const { t, status } = usePage();
  const [isOpen, setOpen] = useState(false);
  const action = useAction();
  return (
    <Card title={t.inputs}>
      <ul class="entries">
        {status.inputs?.map(({ numInput, name, kind, state, forMs }) => (
          <li key={numInput}>
            <div class="beside">
              <strong>{name}</strong>
              <InputPill kind={kind} state={state} />
            </div>
            <p class="small">
              {t.input(numInput)} · {t.inputKinds[kind]}
              {forMs !== undefined && ` · ${t.forSoLong(inWords(t, forMs))}`}
            </p>
          </li>
        ))}
      </ul>
      <Outcome action={action} />
      <PanelButton icon="settings" isOpen={isOpen} onClick={() => setOpen(!isOpen)}>
        {t.change}
      </PanelButton>
      {isOpen && <InputForm action={action} onClose={() => setOpen(false)} />}
    </Card>
  );
}

/** A sign, and not only a colour, for what needs attention. */
function InputPill({ kind, state }: Pick<InputStatus, 'kind' | 'state'>): JSX.Element {
  const { t } = usePage();
  const isIll = state === null || (kind === 'tamper' && state === 'open');
  return (
    <p class={isIll ? 'state unknown' : 'state'}>
      {isIll && <Icon name={state === null ? 'unknown' : 'warn'} />}
      {capital(t.inputStates[state ?? 'unknown'])}
    </p>
  );
}

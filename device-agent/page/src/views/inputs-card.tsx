import type { JSX } from 'preact';
import type { InputStatus } from '../../../src/agent/technician/local-messages/device';
import { capital } from '../../../src/locales/page';
import { inWords } from '../duration';
import { usePage } from '../page-context';
import { Card } from '../parts/card';
import { Icon } from '../parts/icons';

/** What the inputs that mean something show, and for how long they have. */
export function InputsCard({ inputs }: { inputs: readonly InputStatus[] }): JSX.Element {
  const { words } = usePage();
  return (
    <Card title={words.inputs}>
      <ul class="entries">
        {inputs.map(({ numInput, name, kind, state, forMs }) => (
          <li key={numInput}>
            <div class="beside">
              <strong>{name}</strong>
              <InputPill kind={kind} state={state} />
            </div>
            <p class="small">
              {words.input(numInput)} · {words.inputKinds[kind]}
              {forMs !== undefined && ` · ${words.forSoLong(inWords(words, forMs))}`}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A sign, and not only a colour, for what somebody has to look at. */
function InputPill({ kind, state }: Pick<InputStatus, 'kind' | 'state'>): JSX.Element {
  const { words } = usePage();
  const isIll = state === null || (kind === 'tamper' && state === 'open');
  return (
    <p class={isIll ? 'state unknown' : 'state'}>
      {isIll && <Icon name={state === null ? 'unknown' : 'warn'} />}
      {capital(words.inputStates[state ?? 'unknown'])}
    </p>
  );
}

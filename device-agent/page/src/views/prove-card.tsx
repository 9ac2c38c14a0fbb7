/** The proof of the wiring: from its beginning to what it has come to. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ProofReply, ProveReply } from '../../../src/agent/technician/local-messages/proof';
import { proofTime } from '../../../src/proof/proof-time';
import { keptText } from '../language';
import { usePage } from '../page-context';
import { Outcome, useAction } from '../parts/action';
import { useAsked } from '../parts/asked';
import { Button } from '../parts/button';
import { Card } from '../parts/card';
import { Marked, MessageNotice, Notice } from '../parts/notice';
import { TextField } from '../parts/text-field';
import { dateInWords } from './history-card';
import { ProveSteps } from './prove-steps';

export function ProveCard(): JSX.Element {
  const { t, ask, isLost } = usePage();
  const { value: view, problem, again } = useAsked('proof', {});
  const [by, setBy] = useState(() => keptText('name'));
  /** The wiring that the running proof is about; null: none runs. */
  const [begun, setBegun] = useState<ProofReply | null>(null);
  const [reply, setReply] = useState<ProveReply | null>(null);
  const action = useAction();
  const text = t.prove;
  const isOut = action.isBusy || isLost || by.trim() === '';

  const begin = (event: Event): void => {
    event.preventDefault();
    if (isOut) return;
    setReply(null);
    action.run(async () => {
      setBegun(await ask('proof'));
      return null;
    });
  };
  const ended = (result: ProveReply | null): void => {
    setBegun(null);
    setReply(result);
    again();
  };

  return (
    <Card title={text.title}>
      {problem && <MessageNotice message={problem} />}
      {view && <ProofState view={view} />}
      {begun ? (
        <ProveSteps view={begun} by={by.trim()} onEnd={ended} />
      ) : (
        <form onSubmit={begin}>
          <p class="hint">{text.lead}</p>
          <TextField label={text.by} value={by} onText={setBy} autocomplete="name" required />
          <Notice kind="calm">{text.warning}</Notice>
          <Button isSubmit isOut={isOut}>
            {text.begin}
          </Button>
        </form>
      )}
      <Outcome action={action} />
      <div role="status">{reply && <Result reply={reply} />}</div>
    </Card>
  );
}

function ProofState({ view: { proof, isProven, isRequired } }: { view: ProofReply }): JSX.Element {
  const { t, language } = usePage();
  const text = t.prove;
  if (isProven && proof) {
    const time = proofTime(proof);
    const when = time === null ? null : dateInWords(language, Date.parse(time));
    return <Marked icon="good">{text.provenBy(proof.by, when)}</Marked>;
  }
  return (
    <Marked icon={isRequired ? 'bad' : 'warn'}>
      {text.notProven} {isRequired && text.required}
    </Marked>
  );
}

function Result({ reply }: { reply: ProveReply }): JSX.Element {
  const { t } = usePage();
  const text = t.prove;
  if (reply.result === 'proven') return <Notice kind="well">{text.proven}</Notice>;
  return (
    <Notice kind="ill">
      <p>{text.corrected}</p>
      <ul>
        {reply.corrections.map(({ numOutput, line, activeLevel }) => (
          <li key={numOutput}>
            {t.output(numOutput)}: {line && text.line(line.from, line.to)}{' '}
            {activeLevel && text.level(activeLevel.from, activeLevel.to)}
          </li>
        ))}
      </ul>
      <p>{reply.mustRestart ? text.restart : text.inForce}</p>
      <p>
        <strong>{text.onceMore}</strong>
      </p>
    </Notice>
  );
}

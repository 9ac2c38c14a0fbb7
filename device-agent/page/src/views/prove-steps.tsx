/** Relay after relay clicks, and somebody says which. The agent decides what is right. */
import type { JSX } from 'preact';
import { useReducer } from 'preact/hooks';
import type { ProofReply, ProveReply } from '../../../src/agent/technician/local-messages/proof';
import { type Answer, beginRound, nextInRound, type ProofEvent, type ProofStep } from '../../../src/proof/proof-round';
import { usePage } from '../page-context';
import { Outcome, useAction } from '../parts/action';
import { ArmedButton } from '../parts/armed-button';
import { Button } from '../parts/button';

interface ProveStepsProps {
  view: ProofReply;
  /** Who watches. */
  by: string;
  /** null: stopped. */
  onEnd(reply: ProveReply | null): void;
}

export function ProveSteps({ view: { wiring, names }, by, onEnd }: ProveStepsProps): JSX.Element {
  const { t, ask, isLost } = usePage();
  const [{ answers, step }, tell] = useReducer(nextInRound, names.length, beginRound);
  const action = useAction();
  const isOut = action.isBusy || isLost;
  const text = t.prove;

  const record = (): void =>
    action.run(async () => {
      onEnd(await ask('prove', { by, wiring, answers }));
      return null;
    });

  return (
    <div class="panel">
      {step.at !== 'review' ? (
        <Step key={answers.length} step={step} numOutput={answers.length} names={names} tell={tell} />
      ) : (
        <>
          <h3>{text.review}</h3>
          <ol class="entries">
            {answers.map((answer, numOutput) => (
              <li key={numOutput}>
                <p>
                  <strong>{text.answer(numOutput, names[numOutput] ?? '')}</strong>
                </p>
                <p>{answerInWords(text, answer)}</p>
              </li>
            ))}
          </ol>
          <Button kind="primary" isOut={isOut} onClick={record}>
            {text.record}
          </Button>
        </>
      )}
      <Outcome action={action} />
      <Button onClick={() => onEnd(null)}>{text.stop}</Button>
    </div>
  );
}

function answerInWords(text: ReturnType<typeof usePage>['t']['prove'], { relay, isOn }: Answer): string {
  return relay === 0 ? text.sawNone : `${text.saw(relay)}, ${isOn ? text.lampOn : text.lampOff}`;
}

interface StepProps {
  step: ProofStep;
  numOutput: number;
  names: readonly string[];
  tell(event: ProofEvent): void;
}

function Step({ step, numOutput, names, tell }: StepProps): JSX.Element {
  const { t, ask } = usePage();
  const action = useAction();
  const text = t.prove;
  const hasClicked = step.at !== 'click';
  const relay = step.at === 'is-on' ? step.relay : null;

  const click = (): void =>
    action.run(async () => {
      tell({ kind: 'clicking' });
      await ask('click', { numOutput });
      tell({ kind: 'clicked' });
      return null;
    });
  const saw = (seen: number): void => tell({ kind: 'saw', relay: seen });
  const sawLamp = (isOn: boolean): void => tell({ kind: 'lamp', isOn });

  return (
    <>
      <h3>{text.step(numOutput + 1, names.length)}</h3>
      <p>{text.willClick(numOutput + 1, names[numOutput] ?? '')}</p>
      <ArmedButton kind={hasClicked ? '' : 'primary'} armed={t.again.click} isBusy={action.isBusy} onConfirmed={click}>
        {action.isBusy ? text.clicking : hasClicked ? text.clickAgain : text.click}
      </ArmedButton>
      <Outcome action={action} />
      {hasClicked && !action.isBusy && (
        <fieldset>
          <legend>{text.which}</legend>
          <div class="relays">
            {names.map((_name, own) => (
              <Button
                kind={relay === own + 1 ? 'chosen' : ''}
                key={own}
                aria-pressed={relay === own + 1}
                onClick={() => saw(own + 1)}
              >
                {text.relay(own + 1)}
              </Button>
            ))}
            <Button onClick={() => saw(0)}>{text.noRelay}</Button>
          </div>
        </fieldset>
      )}
      {relay !== null && !action.isBusy && (
        <fieldset>
          <legend>{text.isOn(relay)}</legend>
          <div class="pair">
            <Button onClick={() => sawLamp(true)}>{text.yes}</Button>
            <Button onClick={() => sawLamp(false)}>{text.no}</Button>
          </div>
        </fieldset>
      )}
    </>
  );
}

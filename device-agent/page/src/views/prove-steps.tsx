/** A relay clicks, somebody says which; then the next one. What is right of it, the agent decides. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ProofReply, ProveReply, ProveRequest } from '../../../src/agent/local-messages/proof';
import { usePage } from '../page-context';
import { Outcome, useAction } from '../parts/action';
import { ArmedButton } from '../parts/armed-button';
import { Button } from '../parts/button';

type Answer = ProveRequest['answers'][number];

interface ProveStepsProps {
  view: ProofReply;
  /** Who watches. */
  by: string;
  /** null: stopped. */
  onEnd(reply: ProveReply | null): void;
}

export function ProveSteps({ view: { wiring, names }, by, onEnd }: ProveStepsProps): JSX.Element {
  const { words, ask, isLost } = usePage();
  const [answers, setAnswers] = useState<Answer[]>([]);
  const action = useAction();
  const isOut = action.isBusy || isLost;
  const text = words.prove;
  const step = answers.length;

  const record = (): void =>
    action.run(async () => {
      onEnd(await ask<ProveReply>('prove', { by, wiring, answers }));
      return null;
    });

  return (
    <div class="panel">
      {step < names.length ? (
        <Step
          key={step}
          numOutput={step}
          names={names}
          onAnswer={(answer) => {
            action.show(null);
            setAnswers([...answers, answer]);
          }}
        />
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

function answerInWords(text: ReturnType<typeof usePage>['words']['prove'], { relay, isOn }: Answer): string {
  return relay === 0 ? text.sawNone : `${text.saw(relay)}, ${isOn ? text.lampOn : text.lampOff}`;
}

interface StepProps {
  numOutput: number;
  names: readonly string[];
  onAnswer(answer: Answer): void;
}

function Step({ numOutput, names, onAnswer }: StepProps): JSX.Element {
  const { words, ask } = usePage();
  const [hasClicked, setClicked] = useState(false);
  const [relay, setRelay] = useState<number | null>(null);
  const action = useAction();
  const text = words.prove;

  const click = (): void =>
    action.run(async () => {
      setRelay(null);
      await ask('click', { numOutput });
      setClicked(true);
      return null;
    });
  const saw = (seen: number): void => {
    if (seen === 0) onAnswer({ relay: 0, isOn: false });
    else setRelay(seen);
  };

  return (
    <>
      <h3>{text.step(numOutput + 1, names.length)}</h3>
      <p>{text.willClick(numOutput + 1, names[numOutput] ?? '')}</p>
      <ArmedButton
        kind={hasClicked ? '' : 'primary'}
        armed={words.again.click}
        isBusy={action.isBusy}
        onConfirmed={click}
      >
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
            <Button onClick={() => onAnswer({ relay, isOn: true })}>{text.yes}</Button>
            <Button onClick={() => onAnswer({ relay, isOn: false })}>{text.no}</Button>
          </div>
        </fieldset>
      )}
    </>
  );
}

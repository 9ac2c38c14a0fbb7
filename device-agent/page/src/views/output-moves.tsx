/** The buttons that move an output. */
import type { JSX } from 'preact';
import type { OutputStatus } from '../../../src/agent/technician/local-messages/device';
import { capital } from '../../../src/locales/page';
import { pulseInWords } from '../duration';
import { usePage } from '../page-context';
import { type Action, Outcome, useAction } from '../parts/action';
import { ArmedButton } from '../parts/armed-button';
import { Button } from '../parts/button';
import type { Message } from '../problem';

interface OutputMovesProps {
  output: OutputStatus;
  action: Action;
}

export function OutputMoves({ output, action }: OutputMovesProps): JSX.Element {
  return output.mode === 'impulse' ? (
    <PulseMove output={output} action={action} />
  ) : (
    <SwitchMoves output={output} action={action} />
  );
}

function PulseMove({ output, action: { isBusy, run } }: OutputMovesProps): JSX.Element {
  const { t, isLost, ask } = usePage();
  const { numOutput, pulseMs, pulseSinceMs } = output;
  const ending = useAction();
  const length = pulseInWords(t, pulseMs);
  const pulse = async (): Promise<string | Message> => {
    const { outcome } = await ask('pulse', { numOutput });
    if (outcome === 'ignored') return { isWell: false, text: capital(t.outcomes.ignored) };
    return t.done.pulse(length);
  };
  // Ends the pulse that is shown: it may have ended meanwhile, and another one begun.
  const end = async (): Promise<string> => {
    const { outcome } = await ask('stop', { numOutput, pulseSinceMs: pulseSinceMs ?? null });
    return outcome === 'executed' ? t.done.off : t.done.already;
  };
  return (
    <div class="moves">
      <ArmedButton kind="primary" armed={t.again.pulse(length)} isBusy={isBusy} onConfirmed={() => run(pulse)}>
        {t.testPulse} · {length}
      </ArmedButton>
      {pulseSinceMs !== undefined && (
        <>
          <Button isOut={ending.isBusy || isLost} onClick={() => ending.run(end)}>
            {t.endPulse}
          </Button>
          <p class="hint">{t.endPulseMeans}</p>
        </>
      )}
      <Outcome action={ending} />
    </div>
  );
}

function SwitchMoves({ output: { numOutput, state: isOn }, action: { isBusy, run } }: OutputMovesProps): JSX.Element {
  const { t, ask } = usePage();
  const set = (state: 0 | 1) => async (): Promise<string> => {
    const { outcome } = await ask('set', { numOutput, state });
    if (outcome === 'already-set') return t.done.already;
    return state === 1 ? t.done.on : t.done.off;
  };
  return (
    <div class="moves pair">
      <ArmedButton
        kind={isOn === 1 ? '' : 'primary'}
        armed={t.again.on}
        isBusy={isBusy}
        onConfirmed={() => run(set(1))}
      >
        {t.switchOn}
      </ArmedButton>
      <ArmedButton
        kind={isOn === 1 ? 'primary' : ''}
        armed={t.again.off}
        isBusy={isBusy}
        onConfirmed={() => run(set(0))}
      >
        {t.switchOff}
      </ArmedButton>
    </div>
  );
}

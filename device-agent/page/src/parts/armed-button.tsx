/** A button that a slip must not trigger: the first tap arms it, the second one, a moment later, does it. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { usePage } from '../page-context';
import { Button } from './button';

const ARMED_MS = 3_000;
/** A finger that bounces on a wet screen taps twice within this. */
const BOUNCE_MS = 350;

interface ArmedButtonProps {
  kind?: 'primary' | '';
  children: ComponentChildren;
  armed: string;
  isBusy: boolean;
  /** It moves a relay, so the guard must be there. */
  moves?: boolean;
  onConfirmed(): void;
}

export function ArmedButton({
  kind = '',
  children,
  armed,
  isBusy,
  moves = true,
  onConfirmed,
}: ArmedButtonProps): JSX.Element {
  const { t, status, isLost } = usePage();
  const [armedAtMs, setArmedAtMs] = useState<number | null>(null);
  const isOut = isBusy || isLost || (moves && !status.guard.isReachable);
  const isArmed = armedAtMs !== null && !isOut;
  const disarm = (): void => setArmedAtMs(null);

  useEffect(() => {
    if (armedAtMs === null) return;
    const timer = setTimeout(disarm, ARMED_MS);
    return () => clearTimeout(timer);
  }, [armedAtMs]);
  useEffect(() => {
    if (isOut) disarm();
  }, [isOut]);

  const tap = (): void => {
    const nowMs = performance.now();
    if (armedAtMs === null) return setArmedAtMs(nowMs);
    if (nowMs - armedAtMs < BOUNCE_MS) return;
    disarm();
    onConfirmed();
  };

  return (
    <>
      <Button
        kind={isArmed ? 'armed' : kind}
        isOut={isOut}
        onClick={tap}
        onBlur={disarm}
        onKeyDown={(event) => event.key === 'Escape' && disarm()}
      >
        {isArmed ? armed : children}
      </Button>
      <span class="hidden" role="status">
        {isArmed && t.againWithin}
      </span>
    </>
  );
}

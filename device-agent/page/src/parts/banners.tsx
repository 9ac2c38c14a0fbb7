/** Faults that concern everything, above each view. */
import type { JSX } from 'preact';
import type { PageTranslations } from '../../../src/locales/page';
import { closesInMs, type Seen } from '../device';
import { inWords } from '../duration';
import { Button } from './button';
import { Notice } from './notice';
import { useNow } from './now';

interface BannersProps {
  t: PageTranslations;
  seen: Seen | null;
  /** On the browser's monotonic clock; null: connected. */
  lostSinceMs: number | null;
  onTry(): void;
}

const CLOCK_MS = 1_000;
/** When the page's end becomes worth a banner. */
const SOON_MS = 120_000;

export function Banners({ t, seen, lostSinceMs, onTry }: BannersProps): JSX.Element {
  const nowMs = useNow(CLOCK_MS);
  const guard = seen?.status.guard;
  const leftMs = seen ? closesInMs(seen, nowMs) : Number.POSITIVE_INFINITY;
  return (
    <>
      <div role="alert">
        {lostSinceMs !== null && (
          <Notice kind="ill">
            <p>
              <strong>{leftMs <= 0 ? t.closed : t.lost}</strong>{' '}
              <span aria-live="off">{t.lostFor(inWords(t, nowMs - lostSinceMs))}</span>
            </p>
            <p>{leftMs <= 0 ? t.closedHelp : t.lostHelp}</p>
            <Button onClick={onTry}>{t.tryAgain}</Button>
          </Notice>
        )}
        {lostSinceMs === null && guard && !guard.isReachable && (
          <Notice kind="ill">
            <p>
              <strong>{t.guardAway}</strong> {t.guardAwayHelp}
            </p>
            {guard.problem && <p>{guard.problem}</p>}
          </Notice>
        )}
      </div>
      {lostSinceMs === null && leftMs < SOON_MS && (
        <Notice kind="calm">{t.closesSoon(inWords(t, Math.max(0, leftMs)))}</Notice>
      )}
    </>
  );
}

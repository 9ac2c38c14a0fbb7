/** Something that is asked of the device, and what became of it. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { usePage } from '../page-context';
import { problemOf, type Told } from '../problem';
import { Telling } from './told';

const WELL_MS = 10_000;

export interface Deed {
  told: Told | null;
  isBusy: boolean;
  /** One at a time. `work` gives the sentence that says it is done, or what came of it; null: nothing is to be said. */
  run(work: () => Promise<string | Told | null>): void;
  /** Says so without asking anybody. */
  tell(told: Told | null): void;
}

export function useDeed(): Deed {
  const { words, refresh } = usePage();
  const [told, tell] = useState<Told | null>(null);
  const [isBusy, setBusy] = useState(false);
  const running = useRef(false);

  const run = useCallback(
    (work: () => Promise<string | Told | null>) => {
      if (running.current) return;
      running.current = true;
      setBusy(true);
      tell(null);
      void work()
        .then(
          (said) => tell(typeof said === 'string' ? { isWell: true, text: said } : said),
          (error: unknown) => tell(problemOf(words, error)),
        )
        .finally(() => {
          running.current = false;
          setBusy(false);
          refresh();
        });
    },
    [words, refresh],
  );
  // What went well is soon no news any more, and what is not so any more must not be read.
  useEffect(() => {
    if (!told?.isWell) return;
    const timer = setTimeout(() => tell(null), WELL_MS);
    return () => clearTimeout(timer);
  }, [told]);
  return { told, isBusy, run, tell };
}

/** Always there, so that a screen reader hears what comes into it. */
export function Outcome({ deed: { told, isBusy } }: { deed: Deed }): JSX.Element {
  const { words } = usePage();
  return (
    <div class="outcome" role="status">
      {isBusy && <span class="hidden">{words.working}</span>}
      {told && <Telling words={words} told={told} />}
    </div>
  );
}

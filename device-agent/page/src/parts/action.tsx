/** Something that is asked of the device, and its outcome. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { usePage } from '../page-context';
import { type Message, problemOf } from '../problem';
import { MessageNotice } from './notice';

const WELL_MS = 10_000;

export interface Action {
  message: Message | null;
  isBusy: boolean;
  /** One at a time. `work` resolves with a sentence about the outcome; null: nothing to say. */
  run(work: () => Promise<string | Message | null>): void;
  /** Shows a message without asking the device. */
  show(message: Message | null): void;
}

export function useAction(): Action {
  const { t, refresh } = usePage();
  const [message, show] = useState<Message | null>(null);
  const [isBusy, setBusy] = useState(false);
  const running = useRef(false);

  const run = useCallback(
    (work: () => Promise<string | Message | null>) => {
      if (running.current) return;
      running.current = true;
      setBusy(true);
      show(null);
      void work()
        .then(
          (said) => show(typeof said === 'string' ? { isWell: true, text: said } : said),
          (error: unknown) => show(problemOf(t, error)),
        )
        .finally(() => {
          running.current = false;
          setBusy(false);
          refresh();
        });
    },
    [t, refresh],
  );
  // A success is soon no news any more, and a message that is not true any more must not be read.
  useEffect(() => {
    if (!message?.isWell) return;
    const timer = setTimeout(() => show(null), WELL_MS);
    return () => clearTimeout(timer);
  }, [message]);
  return { message, isBusy, run, show };
}

/** Always there, so that a screen reader reads what comes into it. */
export function Outcome({ action: { message, isBusy } }: { action: Action }): JSX.Element {
  const { t } = usePage();
  return (
    <div class="outcome" role="status">
      {isBusy && <span class="hidden">{t.working}</span>}
      {message && <MessageNotice message={message} />}
    </div>
  );
}

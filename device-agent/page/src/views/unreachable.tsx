import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Words } from '../../../src/locales/page';
import { Button } from '../parts/button';
import { Notice } from '../parts/notice';

const TRY_AGAIN_MS = 5_000;

/** The page is loaded, but its agent does not answer. Tries again by itself. */
export function Unreachable({ words, onTry }: { words: Words; onTry(): void }): JSX.Element {
  useEffect(() => {
    const timer = setTimeout(onTry, TRY_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [onTry]);
  return (
    <main class="alone">
      <h1>Relaygate</h1>
      <div role="alert">
        <Notice kind="ill">
          <p>
            <strong>{words.unreachable}</strong>
          </p>
          <p>{words.unreachableHelp}</p>
        </Notice>
      </div>
      <Button kind="primary" onClick={onTry}>
        {words.tryAgain}
      </Button>
    </main>
  );
}

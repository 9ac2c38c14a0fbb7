import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { PageTranslations } from '../../../src/locales/page';
import { Button } from '../parts/button';
import { Notice } from '../parts/notice';

const TRY_AGAIN_MS = 5_000;

/** The page is loaded, but its agent does not answer. Tries again by itself. */
export function Unreachable({ t, onTry }: { t: PageTranslations; onTry(): void }): JSX.Element {
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
            <strong>{t.unreachable}</strong>
          </p>
          <p>{t.unreachableHelp}</p>
        </Notice>
      </div>
      <Button kind="primary" onClick={onTry}>
        {t.tryAgain}
      </Button>
    </main>
  );
}

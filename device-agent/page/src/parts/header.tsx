import type { JSX } from 'preact';
import type { PageTranslations } from '../../../src/locales/page';
import { closesInMs, type Seen } from '../device';
import { inWords } from '../duration';
import type { Language } from '../language';
import { LanguageButton } from '../views/login';
import { Button } from './button';
import { Icon } from './icons';
import { useNow } from './now';

interface HeaderProps {
  t: PageTranslations;
  language: Language;
  seen: Seen | null;
  isLost: boolean;
  onLanguage(): void;
  onLeave(): void;
}

const CLOCK_MS = 5_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Which device this is, whether it is linked, and how long the page stays. */
export function Header({ t, language, seen, isLost, onLanguage, onLeave }: HeaderProps): JSX.Element {
  return (
    <header class="top">
      <p class="brand">{seen?.status.productLogin ?? 'Relaygate'}</p>
      {seen && !isLost && <LinkChip t={t} isUp={seen.status.link.isUp} />}
      {seen && <ClosesIn t={t} seen={seen} />}
      <div class="tools">
        <LanguageButton t={t} language={language} onLanguage={onLanguage} />
        <Button kind="plain" onClick={onLeave}>
          {t.logOut}
        </Button>
      </div>
    </header>
  );
}

function LinkChip({ t, isUp }: { t: PageTranslations; isUp: boolean }): JSX.Element {
  return (
    <span class={isUp ? 'chip good' : 'chip warn'}>
      <Icon name={isUp ? 'good' : 'warn'} />
      {isUp ? t.link.chipUp : t.link.chipDown}
    </span>
  );
}

/** A clock that ticks draws the eye. The last minutes have a banner. */
function ClosesIn({ t, seen }: { t: PageTranslations; seen: Seen }): JSX.Element | null {
  const leftMs = closesInMs(seen, useNow(CLOCK_MS));
  if (leftMs <= 0) return null;
  return <p class="small">{t.closesIn(inWords(t, roundedMs(leftMs)))}</p>;
}

/** Whole hours, or minutes in the last one. */
function roundedMs(leftMs: number): number {
  return leftMs < HOUR_MS ? Math.ceil(leftMs / MINUTE_MS) * MINUTE_MS : Math.floor(leftMs / HOUR_MS) * HOUR_MS;
}

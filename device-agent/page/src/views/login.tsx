/** PIN, and a name for the history. The digits are shown: a browser must not keep them, and fingers are wet. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { otherLanguage } from '../../../src/locales/common';
import type { PageTranslations } from '../../../src/locales/page';
import { inWords } from '../duration';
import { Refusal } from '../http';
import { keepText, keptText, type Language } from '../language';
import { Button } from '../parts/button';
import { Notice } from '../parts/notice';
import { useNow } from '../parts/now';
import { TextField } from '../parts/text-field';
import { problemOf } from '../problem';
import { logIn, type Session } from '../session';

/** Why nobody is logged in; null: this is the beginning. */
export type LoginReason = 'over' | 'left' | null;

interface LoginProps {
  t: PageTranslations;
  language: Language;
  why: LoginReason;
  onLanguage(): void;
  onSession(session: Session): void;
}

const CLOCK_MS = 500;

export function Login({ t, language, why, onLanguage, onSession }: LoginProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const [pin, setPin] = useState('');
  const [name, setName] = useState(() => keptText('name'));
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [openAtMs, setOpenAtMs] = useState(0);
  const nowMs = useNow(CLOCK_MS);
  const waitMs = Math.max(0, openAtMs - nowMs);
  const isOut = isBusy || waitMs > 0;
  const text = t.login;

  useEffect(() => {
    document.title = `Relaygate – ${text.title}`;
    input.current?.focus();
  }, [text]);

  const submit = (event: Event): void => {
    event.preventDefault();
    if (isOut) return;
    setBusy(true);
    setError(null);
    keepText('name', name.trim());
    logIn(pin.trim(), name.trim()).then(onSession, (problem: unknown) => {
      setBusy(false);
      setError(problem);
      if (problem instanceof Refusal) setOpenAtMs(performance.now() + problem.waitS * 1_000);
      input.current?.select();
    });
  };

  return (
    <main class="alone">
      <div class="beside">
        <p class="brand">Relaygate</p>
        <LanguageButton t={t} language={language} onLanguage={onLanguage} />
      </div>
      <h1>{text.title}</h1>
      <form onSubmit={submit}>
        {why !== null && error === null && <Notice kind="calm">{text[why]}</Notice>}
        <TextField
          label={text.pin}
          hint={text.lead}
          value={pin}
          onText={setPin}
          input={input}
          class="pin"
          inputMode="numeric"
          required
        />
        <TextField label={text.name} hint={text.nameHint} value={name} onText={setName} autocomplete="name" />
        <div role="alert">{error !== null && <Notice kind="ill">{sentenceOf(t, error)}</Notice>}</div>
        <Button isSubmit kind="primary" isOut={isOut}>
          {isBusy ? text.entering : waitMs > 0 ? text.enterIn(inWords(t, waitMs)) : text.enter}
        </Button>
      </form>
    </main>
  );
}

function sentenceOf(t: PageTranslations, error: unknown): string {
  if (!(error instanceof Refusal)) return t.unreachable;
  const { code, waitS } = error;
  if (code === 'no-pin') return t.login.noPin;
  const wait = waitS > 0 ? t.login.wait(inWords(t, waitS * 1_000)) : '';
  if (code === 'too-many-strangers') return `${wait} ${t.login.others}`;
  if (code === 'wrong-pin') return `${t.login.wrong} ${wait}`.trim();
  return wait || problemOf(t, error).text;
}

/** In the language that it switches to. */
export function LanguageButton({
  t,
  language,
  onLanguage,
}: Pick<LoginProps, 't' | 'language' | 'onLanguage'>): JSX.Element {
  return (
    <Button kind="plain" lang={otherLanguage(language)} onClick={onLanguage}>
      {t.otherLanguage}
    </Button>
  );
}

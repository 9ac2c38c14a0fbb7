/** From the first answer of the agent to the last: loading, logged out, logged in. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { otherLanguage } from '../../src/locales/common';
import { Refusal } from './http';
import { firstLanguage, keepText, type Language, TRANSLATIONS } from './language';
import { LoggedIn } from './logged-in';
import { currentSession, type Session } from './session';
import { Login, type LoginReason } from './views/login';
import { Unreachable } from './views/unreachable';

type Stage =
  | { name: 'loading' }
  | { name: 'unreachable' }
  | { name: 'out'; why: LoginReason }
  | { name: 'in'; session: Session };

export function App(): JSX.Element {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [stage, setStage] = useState<Stage>({ name: 'loading' });
  const t = TRANSLATIONS[language];

  const load = useCallback(() => {
    setStage({ name: 'loading' });
    currentSession().then(
      (session) => setStage({ name: 'in', session }),
      (error) => setStage(error instanceof Refusal ? { name: 'out', why: null } : { name: 'unreachable' }),
    );
  }, []);
  useEffect(load, [load]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);

  const onOver = useCallback(() => setStage({ name: 'out', why: 'over' }), []);
  const onLeft = useCallback(() => setStage({ name: 'out', why: 'left' }), []);
  const switchLanguage = (): void => {
    const other = otherLanguage(language);
    keepText('language', other);
    setLanguage(other);
  };

  switch (stage.name) {
    case 'loading':
      return (
        <main class="alone">
          <p class="lead" role="status">
            {t.loading}
          </p>
        </main>
      );
    case 'unreachable':
      return <Unreachable t={t} onTry={load} />;
    case 'out':
      return (
        <Login
          t={t}
          language={language}
          why={stage.why}
          onLanguage={switchLanguage}
          onSession={(session) => setStage({ name: 'in', session })}
        />
      );
    case 'in':
      return (
        <LoggedIn
          t={t}
          language={language}
          session={stage.session}
          onLanguage={switchLanguage}
          onOver={onOver}
          onLeft={onLeft}
        />
      );
    default:
      return stage satisfies never;
  }
}

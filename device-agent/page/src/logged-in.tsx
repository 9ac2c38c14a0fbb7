/** The page of a technician who is logged in: faults above, the view below, the other views under the thumb. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageTranslations } from '../../src/locales/page';
import { useDevice } from './device';
import { NoAnswer } from './http';
import type { Language } from './language';
import { PageContext } from './page-context';
import { Banners } from './parts/banners';
import { Header } from './parts/header';
import { Icon } from './parts/icons';
import { MessageNotice } from './parts/notice';
import { type Message, problemOf } from './problem';
import { logOut, type Session } from './session';
import { ActivityView } from './views/activity';
import { ChecksView } from './views/checks';
import { LinkView } from './views/link';
import { OutputsView } from './views/outputs';

const VIEWS = { outputs: OutputsView, link: LinkView, activity: ActivityView, checks: ChecksView };
type ViewName = keyof typeof VIEWS;
const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

interface LoggedInProps {
  t: PageTranslations;
  language: Language;
  session: Session;
  onLanguage(): void;
  onOver(): void;
  onLeft(): void;
}

export function LoggedIn({ t, language, session, onLanguage, onOver, onLeft }: LoggedInProps): JSX.Element {
  const { seen, lostSinceMs, ask, refresh } = useDevice(session, language, onOver);
  const view = useView();
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  const isLost = lostSinceMs !== null;
  /** Why the last logging out is not known to be done. */
  const [notLeft, setNotLeft] = useState<unknown>(null);

  useEffect(() => {
    document.title = `${t.views[view]} – Relaygate`;
  }, [t, view]);
  // The focus goes to the new view, so that a reader goes on there.
  useEffect(() => {
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
    scrollTo(0, 0);
  }, [view]);

  const page = useMemo(
    () => seen && { t, language, session, status: seen.status, statusAtMs: seen.atMs, isLost, ask, refresh },
    [t, language, session, seen, isLost, ask, refresh],
  );
  const leave = (): void => void logOut(session).then(onLeft, setNotLeft);
  const View = VIEWS[view];

  return (
    <div class={isLost ? 'page old' : 'page'}>
      <Header t={t} language={language} seen={seen} isLost={isLost} onLanguage={onLanguage} onLeave={leave} />
      <nav class="views" aria-label={t.navigation}>
        {VIEW_NAMES.map((name) => (
          <a key={name} href={`#${name}`} {...(name === view ? { 'aria-current': 'page' } : {})}>
            <Icon name={name} />
            {t.views[name]}
          </a>
        ))}
      </nav>
      <main>
        <h1 ref={heading} tabIndex={-1}>
          {t.views[view]}
        </h1>
        <div role="alert">{notLeft !== null && <MessageNotice message={notLeftText(t, notLeft)} />}</div>
        <Banners t={t} seen={seen} lostSinceMs={lostSinceMs} onTry={refresh} />
        {page ? (
          <PageContext.Provider value={page}>
            <View />
          </PageContext.Provider>
        ) : (
          <p class="lead" role="status">
            {t.loading}
          </p>
        )}
      </main>
    </div>
  );
}

function notLeftText(t: PageTranslations, error: unknown): Message {
  return error instanceof NoAnswer ? { isWell: false, text: t.maybeNotLeft } : problemOf(t, error);
}

/** The view is the part of the address behind #, so that the browser's back button works. */
function useView(): ViewName {
  const [view, setView] = useState(viewInAddress);
  useEffect(() => {
    const changed = (): void => setView(viewInAddress());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return view;
}

function viewInAddress(): ViewName {
  return VIEW_NAMES.find((name) => `#${name}` === location.hash) ?? 'outputs';
}

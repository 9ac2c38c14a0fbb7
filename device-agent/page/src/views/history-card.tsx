import type { HistoryChange, HistoryEntry } from '@relaygate/shared';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { known } from '../../../src/locales/common';
import { capital, outcomeInWords, type PageTranslations } from '../../../src/locales/page';
import { inWords } from '../duration';
import { type Page, usePage } from '../page-context';
import { useAsked } from '../parts/asked';
import { Button } from '../parts/button';
import { Card } from '../parts/card';
import { Marked, MessageNotice } from '../parts/notice';

const STEP_ENTRIES = 25;

/** What people did at this device, the newest first. */
export function HistoryCard(): JSX.Element {
  const { t, language, isLost } = usePage();
  const [limit, setLimit] = useState(STEP_ENTRIES);
  const { value, problem, again } = useAsked('history', { limit, language });
  const entries = value?.entries ?? [];

  return (
    <Card
      title={t.past.history}
      aside={
        <Button kind="plain" isOut={isLost} onClick={again}>
          {t.past.refresh}
        </Button>
      }
    >
      {problem && <MessageNotice message={problem} />}
      {value?.faults.map(({ text }) => (
        <p key={text} class="note" lang={language}>
          {text}
        </p>
      ))}
      {value && entries.length === 0 && <p class="hint">{t.noHistory}</p>}
      <ol class="entries">
        {[...entries].reverse().map((entry) => (
          <li key={entry.seq}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      {entries.length >= limit && (
        <Button isOut={isLost} onClick={() => setLimit(limit + STEP_ENTRIES)}>
          {t.past.older}
        </Button>
      )}
    </Card>
  );
}

function Entry({ entry }: { entry: HistoryEntry }): JSX.Element {
  const page = usePage();
  const { t, status } = page;
  const { actor, kind, numOutput, forMs, outcome, reason, changes } = entry;
  const what = capital(known(t.kinds, kind) ?? kind);
  const name = numOutput === undefined ? null : (status.outputs[numOutput]?.name ?? t.output(numOutput));
  const isWell = outcome === 'executed' || outcome === 'already-set' || outcome === 'proven';
  return (
    <>
      <p class="beside">
        <strong>{[what, name, forMs && inWords(t, forMs)].filter(Boolean).join(' · ')}</strong>
        <span class="small">{whenInWords(page, entry)}</span>
      </p>
      {changes.map((change) => (
        <Change key={change.member} change={change} t={t} />
      ))}
      {outcome !== undefined && <Marked icon={isWell ? 'good' : 'warn'}>{outcomeInWords(t, outcome, reason)}</Marked>}
      {outcome === undefined && reason !== undefined && <Marked icon="warn">{t.reason(reason)}</Marked>}
      <p class="small">{t.past.by(actor)}</p>
    </>
  );
}

/** The PIN's change shows ids, which say nothing to people. */
function Change({ change: { member, from, to }, t }: { change: HistoryChange; t: PageTranslations }): JSX.Element {
  if (member === 'pin.id') return <p>{t.past.newPin}</p>;
  const short = member.replace(/^outputs\.\d+\./, '');
  return (
    <p>
      {known(t.members, short) ?? short}: {String(from ?? t.none)} → <strong>{String(to ?? t.none)}</strong>
    </p>
  );
}

/** In the browser's time zone. */
function whenInWords(
  { t, language }: Pick<Page, 't' | 'language'>,
  entry: Pick<HistoryEntry, 'atMs' | 'bootMs'>,
): string {
  if (entry.atMs === null) return t.past.afterBoot(inWords(t, entry.bootMs));
  return dateInWords(language, entry.atMs);
}

/** With the year only if it is not this one. */
export function dateInWords(language: string, epochMs: number): string {
  const date = new Date(epochMs);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return date.toLocaleString(language === 'fr' ? 'fr' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

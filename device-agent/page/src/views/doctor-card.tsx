import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Finding } from '../../../src/agent/technician/local-messages/doctor';
import type { Language } from '../language';
import { usePage } from '../page-context';
import { Outcome, useAction } from '../parts/action';
import { Button } from '../parts/button';
import { Card } from '../parts/card';
import { Icon } from '../parts/icons';

/** A little longer than the agent gives the doctor. */
const DOCTOR_TIMEOUT_MS = 40_000;
/** Failures come first. */
const ORDER = ['fail', 'warn', 'ok'] as const;
const ICONS = { ok: 'good', warn: 'warn', fail: 'bad' } as const;

interface Diagnosed {
  findings: Finding[];
  /** The language of the sentences; the page's may have changed since. */
  language: Language;
}

export function DoctorCard(): JSX.Element {
  const { t, language, ask, isLost } = usePage();
  const [diagnosis, setDiagnosis] = useState<Diagnosed | null>(null);
  const action = useAction();
  const isOut = action.isBusy || isLost;
  const text = t.doctor;

  const examine = (): void =>
    action.run(async () => {
      setDiagnosis(null);
      const { findings } = await ask('doctor', { language }, DOCTOR_TIMEOUT_MS);
      setDiagnosis({ findings, language });
      return findings.every(({ verdict }) => verdict === 'ok') ? text.well : null;
    });

  return (
    <Card title={text.title}>
      <p class="hint">{text.lead}</p>
      <Button kind="primary" isOut={isOut} onClick={examine}>
        {action.isBusy ? text.running : diagnosis ? text.runAgain : text.run}
      </Button>
      <Outcome action={action} />
      {diagnosis && <Findings {...diagnosis} />}
    </Card>
  );
}

function Findings({ findings, language }: Diagnosed): JSX.Element {
  const { t } = usePage();
  const of = (wanted: Finding['verdict']): Finding[] => findings.filter(({ verdict }) => verdict === wanted);
  return (
    <>
      <p role="status">
        <strong>{t.doctor.counts(of('fail').length, of('warn').length, of('ok').length)}</strong>
      </p>
      <ul class="entries">
        {ORDER.flatMap(of).map((finding) => (
          <li key={finding.name}>
            <FindingEntry finding={finding} language={language} />
          </li>
        ))}
      </ul>
    </>
  );
}

function FindingEntry({ finding, language }: { finding: Finding; language: Language }): JSX.Element {
  const { name, verdict, found, means, cure } = finding;
  const { t } = usePage();
  const { verdicts, means: meansWord, cure: cureWord } = t.doctor;
  return (
    <>
      <p class="beside">
        <strong lang={language}>{name}</strong>
        <span class={`chip ${ICONS[verdict]}`}>
          <Icon name={ICONS[verdict]} />
          {verdicts[verdict]}
        </span>
      </p>
      <p lang={language}>{found}</p>
      {means !== '' && (
        <p>
          <span class="small">{meansWord}</span> <span lang={language}>{means}</span>
        </p>
      )}
      {cure !== '' && (
        <p>
          <span class="small">{cureWord}</span> <strong lang={language}>{cure}</strong>
        </p>
      )}
    </>
  );
}

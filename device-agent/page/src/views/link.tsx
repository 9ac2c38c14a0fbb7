import type { JSX } from 'preact';
import { usePage } from '../page-context';
import { useAsked } from '../parts/asked';
import { Card } from '../parts/card';
import { Marked, MessageNotice, Notice } from '../parts/notice';

/** Whether the server reaches this device, and if not, why. */
export function LinkView(): JSX.Element {
  return (
    <div class="cards">
      <LinkCard />
      <DeviceCard />
      <FaultsCard />
    </div>
  );
}

function LinkCard(): JSX.Element {
  const { t, language, status } = usePage();
  const { isUp, problem, cause, serverUrl } = status.link;
  const text = t.link;
  return (
    <Card title={isUp ? text.up : text.down}>
      {isUp ? <Notice kind="well">{text.upMeans}</Notice> : <p>{text.downMeans}</p>}
      {problem && (
        <Notice kind="ill">
          <p class="small">{text.diagnosis}</p>
          <p class="sentence" lang={cause === 'other' ? 'en' : language}>
            {problem}
          </p>
        </Notice>
      )}
      <dl>
        <dt>{text.server}</dt>
        <dd class="code">{serverUrl}</dd>
      </dl>
    </Card>
  );
}

function DeviceCard(): JSX.Element {
  const { t, status } = usePage();
  const { value: identity, problem } = useAsked('identity', {});
  const { isReachable } = status.guard;
  const text = t.link;
  return (
    <Card title={text.device}>
      <dl>
        <dt>{text.product}</dt>
        <dd class="code">{status.productLogin}</dd>
        <dt>{text.relays}</dt>
        <dd>
          <Marked icon={isReachable ? 'good' : 'warn'}>{isReachable ? text.guardRuns : text.guardIsAway}</Marked>
        </dd>
        <dt>{text.version}</dt>
        <dd>{status.agentVersion}</dd>
        {identity && (
          <>
            <dt>{text.enrolment}</dt>
            <dd>{identity.hasEnrolmentCode ? text.codeWaits : text.noCode}</dd>
            <dt>{text.fingerprint}</dt>
            <dd class="code">{identity.fingerprint}</dd>
          </>
        )}
      </dl>
      {problem && <MessageNotice message={problem} />}
    </Card>
  );
}

function FaultsCard(): JSX.Element {
  const { t, language, status } = usePage();
  const { faults } = status;
  return (
    <Card title={t.link.faults}>
      {faults.length === 0 && <Marked icon="good">{t.noFaults}</Marked>}
      {faults.map(({ text }) => (
        <p key={text} class="note" lang={language}>
          {text}
        </p>
      ))}
    </Card>
  );
}

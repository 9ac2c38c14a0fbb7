/** The connection to the server, and the clock. */
import type { DeviceSettings, LinkSettings } from '@relaygate/shared/device';
import { linkProblemOf } from '../agent/link/link-problem';
import { codeOf, problemOf } from '../runtime/problem';
import { type Check, type CheckContext, type ServerReading, withSettings } from './check-context';
import { type CheckResult, fail, isNotAllowed, ok, warn } from './finding';

const DAY_MS = 86_400_000;
const CERTIFICATE_WARN_MS = 14 * DAY_MS;
/** A Date header counts whole seconds. */
const STEP_WARN_MS = 5_000;
const STEP_FAIL_MS = 3_600_000;
const SLOW_MS = 1_000;

export const serverName = withSettings(async ({ machine }, { link }) => {
  const { hostname } = new URL(link.serverUrl);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  try {
    return ok('name-known', { host, addresses: await machine.addressesOf(host) });
  } catch (error) {
    return fail('name-unknown', { host, problem: codeOf(error) || problemOf(error) });
  }
});

/** One round trip shows the connection, the certificate and the server's clock. */
export function serverChecks(): Record<'connection' | 'certificate' | 'clockInStep', Check> {
  let asked: Promise<ServerReading> | null = null;
  const ask = ({ machine }: CheckContext, { link }: DeviceSettings): Promise<ServerReading> => {
    asked ??= machine.askServer(link);
    return asked;
  };
  /** null: nobody could be asked, or nobody has answered. */
  const reading = async (context: CheckContext): Promise<ServerReading | null> =>
    context.settings && ask(context, context.settings).catch(() => null);
  return {
    connection: withSettings((context, settings) => connection(settings.link, ask(context, settings))),
    certificate: (context) => certificate(context, reading(context)),
    clockInStep: (context) => clockInStep(context, reading(context)),
  };
}

async function connection(link: LinkSettings, asked: Promise<ServerReading>): Promise<CheckResult> {
  const { serverUrl: url, serverCaFile = null } = link;
  try {
    const roundTripMs = Math.round((await asked).roundTripMs);
    const seen = { url, roundTripMs };
    return roundTripMs < SLOW_MS ? ok('server-answers', seen) : warn('server-slow', seen);
  } catch (error) {
    // The authority's file may be readable by the agent only; a firewall that forbids to connect is another thing.
    if (isNotAllowed(error) && isOfFile(error)) throw error;
    return fail('server-away', { url, serverCaFile, problem: linkProblemOf(error) });
  }
}

function isOfFile(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error && error.syscall === 'open';
}

async function certificate({ wallClock }: CheckContext, asked: Promise<ServerReading | null>): Promise<CheckResult> {
  const seen = await asked;
  if (!seen) return warn('certificate-not-seen', {});
  const { certificateEndsMs } = seen;
  if (certificateEndsMs === null) return ok('no-certificate', {});
  const leftMs = certificateEndsMs - wallClock.epochMs();
  const end = { ends: new Date(certificateEndsMs).toISOString().slice(0, 10), days: Math.floor(leftMs / DAY_MS) };
  return leftMs > CERTIFICATE_WARN_MS ? ok('certificate-well', end) : warn('certificate-ends', end);
}

async function clockInStep({ wallClock }: CheckContext, asked: Promise<ServerReading | null>): Promise<CheckResult> {
  const now = new Date(wallClock.epochMs()).toISOString();
  const seen = await asked;
  if (!seen || seen.serverEpochMs === null)
    return wallClock.isSet() ? warn('clock-alone', { now }) : fail('clock-never-set', { now });
  const offMs = seen.ownEpochMs - seen.serverEpochMs;
  if (Math.abs(offMs) <= STEP_WARN_MS) return ok('clock-in-step', { now });
  const code = offMs < 0 ? 'clock-behind' : 'clock-ahead';
  const off = { now, seconds: Math.round(Math.abs(offMs) / 1_000) };
  return Math.abs(offMs) >= STEP_FAIL_MS ? fail(code, off) : warn(code, off);
}

export const clockKept: Check = async ({ machine }) => {
  const printed = await machine.run('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  if (printed === null) return warn('time-service-silent', {});
  return printed.trim() === 'yes' ? ok('time-kept', {}) : warn('time-not-kept', {});
};

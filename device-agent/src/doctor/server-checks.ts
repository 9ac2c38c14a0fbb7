/** The connection to the server, and the clock. */
import { linkProblemOf } from '../agent/link/link-problem';
import { codeOf, problemOf } from '../runtime/problem';
import { type Check, type CheckContext, type ServerReading, withoutSettings } from './check-context';
import { type CheckResult, fail, isNotAllowed, ok, warn } from './finding';

const DAY_MS = 86_400_000;
const CERTIFICATE_WARN_MS = 14 * DAY_MS;
/** A Date header counts whole seconds. */
const STEP_WARN_MS = 5_000;
const STEP_FAIL_MS = 3_600_000;
const SLOW_MS = 1_000;

export const serverName: Check = async (context) => {
  const name = 'server name';
  const { settings, machine } = context;
  if (!settings) return withoutSettings(name, context);
  const { hostname } = new URL(settings.link.serverUrl);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  try {
    return ok(name, 'name-known', { host, addresses: await machine.addressesOf(host) });
  } catch (error) {
    return fail(name, 'name-unknown', { host, problem: codeOf(error) || problemOf(error) });
  }
};

/** One round trip shows the connection, the certificate and the server's clock. */
export function serverChecks(): Record<'connection' | 'certificate' | 'clockInStep', Check> {
  let asked: Promise<ServerReading> | null = null;
  const ask = ({ machine, settings }: CheckContext): Promise<ServerReading> | null => {
    if (settings) asked ??= machine.askServer(settings.link);
    return asked;
  };
  return {
    connection: (context) => connection(context, ask(context)),
    certificate: (context) => certificate(context, ask(context)),
    clockInStep: (context) => clockInStep(context, ask(context)),
  };
}

async function connection(context: CheckContext, asked: Promise<ServerReading> | null): Promise<CheckResult> {
  const name = 'server';
  const { settings } = context;
  if (!settings || !asked) return withoutSettings(name, context);
  const { serverUrl: url, serverCaFile = null } = settings.link;
  try {
    const roundTripMs = Math.round((await asked).roundTripMs);
    const seen = { url, roundTripMs };
    return roundTripMs < SLOW_MS ? ok(name, 'server-answers', seen) : warn(name, 'server-slow', seen);
  } catch (error) {
    // The authority's file may be readable by the agent only; a firewall that forbids to connect is another thing.
    if (isNotAllowed(error) && isOfFile(error)) throw error;
    return fail(name, 'server-away', { url, serverCaFile, problem: linkProblemOf(error) });
  }
}

function isOfFile(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error && error.syscall === 'open';
}

async function certificate({ wallClock }: CheckContext, asked: Promise<ServerReading> | null): Promise<CheckResult> {
  const name = 'certificate';
  const seen = await asked?.catch(() => null);
  if (!seen) return warn(name, 'certificate-not-seen', {});
  const { certificateEndsMs } = seen;
  if (certificateEndsMs === null) return ok(name, 'no-certificate', {});
  const leftMs = certificateEndsMs - wallClock.epochMs();
  const end = { ends: new Date(certificateEndsMs).toISOString().slice(0, 10), days: Math.floor(leftMs / DAY_MS) };
  return leftMs > CERTIFICATE_WARN_MS ? ok(name, 'certificate-well', end) : warn(name, 'certificate-ends', end);
}

async function clockInStep({ wallClock }: CheckContext, asked: Promise<ServerReading> | null): Promise<CheckResult> {
  const name = 'clock';
  const now = new Date(wallClock.epochMs()).toISOString();
  const seen = await asked?.catch(() => null);
  if (!seen || seen.serverEpochMs === null)
    return wallClock.isSet() ? warn(name, 'clock-alone', { now }) : fail(name, 'clock-never-set', { now });
  const offMs = seen.ownEpochMs - seen.serverEpochMs;
  if (Math.abs(offMs) <= STEP_WARN_MS) return ok(name, 'clock-in-step', { now });
  const code = offMs < 0 ? 'clock-behind' : 'clock-ahead';
  const off = { now, seconds: Math.round(Math.abs(offMs) / 1_000) };
  return Math.abs(offMs) >= STEP_FAIL_MS ? fail(name, code, off) : warn(name, code, off);
}

export const clockKept: Check = async ({ machine }) => {
  const name = 'time service';
  const printed = await machine.run('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  if (printed === null) return warn(name, 'time-service-silent', {});
  return printed.trim() === 'yes' ? ok(name, 'time-kept', {}) : warn(name, 'time-not-kept', {});
};

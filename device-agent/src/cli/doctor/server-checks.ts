/** The way to the server, and the clock. */

import type { Finding } from '../../agent/local-messages/doctor';
import { type LinkCause, linkCauseOf, linkProblemOf } from '../../link/link-problem';
import { codeOf, problemOf } from '../../program/problem';
import { fail, ok, warn } from './finding';
import type { Check, Look, ServerSeen } from './look';

const DAY_MS = 86_400_000;
const CERTIFICATE_WARN_MS = 14 * DAY_MS;
/** A Date header counts whole seconds. */
const STEP_WARN_MS = 5_000;
const STEP_FAIL_MS = 3_600_000;
/** Before the first release: a clock that was never set. */
const FIRST_EPOCH_MS = Date.UTC(2025, 0, 1);
const SLOW_MS = 1_000;

export const serverName: Check = async ({ settings, machine }) => {
  const name = 'server name';
  if (!settings) return warn(name, 'not looked at: there are no settings', '', 'mend settings.json');
  const { hostname } = new URL(settings.link.serverUrl);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  try {
    return ok(name, `${host} is ${(await machine.addressesOf(host)).join(', ')}`);
  } catch (error) {
    const found = `${host} has no address (${codeOf(error) || problemOf(error)})`;
    return fail(name, found, 'no link can be made', "look at the network and at the name's spelling in link.serverUrl");
  }
};

/** The connection, the certificate and the server's clock are seen in one round trip. */
export function serverChecks(): Record<'connection' | 'certificate' | 'clockInStep', Check> {
  let asked: Promise<ServerSeen> | null = null;
  const ask = ({ machine, settings }: Look): Promise<ServerSeen> | null => {
    if (settings) asked ??= machine.askServer(settings.link);
    return asked;
  };
  return {
    connection: (look) => connection(look, ask(look)),
    certificate: (look) => certificate(look, ask(look)),
    clockInStep: (look) => clockInStep(look, ask(look)),
  };
}

async function connection({ settings }: Look, asked: Promise<ServerSeen> | null): Promise<Finding> {
  const name = 'server';
  if (!settings || !asked) return warn(name, 'not looked at: there are no settings', '', 'mend settings.json');
  const { serverUrl, serverCaFile } = settings.link;
  try {
    const { roundTripMs } = await asked;
    const found = `${serverUrl} answers, round trip ${Math.round(roundTripMs)} ms`;
    if (roundTripMs < SLOW_MS) return ok(name, found);
    return warn(name, found, 'commands have 4.5 s to begin, there and back', 'look at the network');
  } catch (error) {
    const found = `${serverUrl} cannot be reached: ${linkProblemOf(error)}`;
    return fail(name, found, 'no link can be made', cureOf(linkCauseOf(error), serverCaFile));
  }
}

function cureOf(cause: LinkCause, serverCaFile: string | undefined): string {
  switch (cause) {
    case 'expired':
    case 'clock-behind':
      return "look at this device's clock, then at the server's certificate";
    case 'other-name':
      return 'use the name in link.serverUrl that the certificate is for';
    case 'not-trusted':
      return serverCaFile === undefined
        ? "the server's authority is not trusted here: name its PEM file in link.serverCaFile"
        : `${serverCaFile} is not the authority of this server`;
    case 'nothing-listens':
      return 'nothing listens there: look at the port, and whether the server runs';
    case 'no-tls':
      return 'look at the port in link.serverUrl: it is not that of the TLS server';
    default:
      return 'look at the network, the firewall and link.serverUrl';
  }
}

async function certificate({ wallClock }: Look, asked: Promise<ServerSeen> | null): Promise<Finding> {
  const name = 'certificate';
  const seen = await asked?.catch(() => null);
  if (!seen) return warn(name, 'not seen: there is no connection', '', 'see "server"');
  const { certificateEndsMs } = seen;
  if (certificateEndsMs === null) return ok(name, 'none: the server is on this machine');
  const leftMs = certificateEndsMs - wallClock.epochMs();
  const found = `ends ${new Date(certificateEndsMs).toISOString().slice(0, 10)}, in ${Math.floor(leftMs / DAY_MS)} days`;
  if (leftMs > CERTIFICATE_WARN_MS) return ok(name, found);
  return warn(name, found, 'no link can be made from then on', "renew the server's certificate");
}

async function clockInStep({ wallClock }: Look, asked: Promise<ServerSeen> | null): Promise<Finding> {
  const name = 'clock';
  const cure = 'set it: "timedatectl set-ntp true", and see that a time server can be reached';
  const now = new Date(wallClock.epochMs()).toISOString();
  if (wallClock.epochMs() < FIRST_EPOCH_MS)
    return fail(name, `${now}: it was never set`, 'the certificate cannot be checked, so no link can be made', cure);
  const seen = await asked?.catch(() => null);
  if (!seen || seen.serverEpochMs === null) return warn(name, `${now}; the server's is not known`, '', 'see "server"');
  const offMs = seen.ownEpochMs - seen.serverEpochMs;
  const words = `${now}, ${(Math.abs(offMs) / 1_000).toFixed(0)} s ${offMs < 0 ? 'behind' : 'ahead of'} the server`;
  // Commands have a time exchange of their own on the link.
  const means = 'times in logs and proofs are wrong; commands are not touched by it';
  if (Math.abs(offMs) >= STEP_FAIL_MS) return fail(name, words, means, cure);
  return Math.abs(offMs) > STEP_WARN_MS ? warn(name, words, means, cure) : ok(name, `${now}, in step with the server`);
}

export const clockKept: Check = async ({ machine }) => {
  const name = 'time service';
  const printed = await machine.run('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  if (printed === null)
    return warn(name, 'timedatectl does not answer', 'who sets the clock is not known', 'run a time service');
  if (printed.trim() === 'yes') return ok(name, 'the clock is kept by a time service');
  const cure = '"timedatectl set-ntp true", and see that a time server can be reached';
  return warn(name, 'no time service has set the clock', 'after a power cut it is behind', cure);
};

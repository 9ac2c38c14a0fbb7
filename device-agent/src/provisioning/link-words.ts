/** What to do about a missing link, for somebody at a PC who has the device's card in hand. */
import type { LinkCause } from '../agent/technician/local-messages/device';

export interface Words {
  /** The fact, in one sentence. */
  headline: string;
  /** What to do about it; empty: nothing. */
  advice: string;
}

export const AGAIN = 'It is tried again by itself.';
const NO_CLOCK = 'The device has no clock of its own: it takes the time from the network.';
/** What to do if there is no time server. */
export const TIME_SERVER =
  'Let the device out to a time server (NTP, UDP port 123), or name one that it reaches in timeServers of relaygate-site.json.';
const WAY_OUT = 'Look whether the network at the site lets the device out to that address and port.';
const WHERE = 'Look at serverUrl and its port.';

const ADVICE: Readonly<Record<LinkCause, string>> = {
  'not-tried': AGAIN,
  'name-unknown': 'Look at serverUrl for a typing error, and whether the network at the site gives out a name server.',
  'no-name-server': 'Look whether the network at the site gives out a name server.',
  'no-way': WAY_OUT,
  'nothing-listens': `${WHERE} Ask the server's operator whether it runs.`,
  silent: WAY_OUT,
  'no-handshake': WAY_OUT,
  'gone-silent': WAY_OUT,
  broken: AGAIN,
  'no-tls': WHERE,
  'not-trusted': 'Put the certificate of its authority into caCertificate, or look whether serverUrl is the right one.',
  'other-name':
    "Write the name of the certificate into serverUrl, or have the server's operator correct the certificate.",
  expired: `Have the server's operator renew it. ${NO_CLOCK} ${TIME_SERVER}`,
  'clock-behind': `${NO_CLOCK} ${TIME_SERVER} ${AGAIN}`,
  'no-relaygate': WHERE,
  'other-server': "Write the server's RELAYGATE_SERVER_NAME into serverName.",
  'epoch-too-far':
    'Look whether serverUrl leads to the right server. If it does, start the device anew, or have the operator make a new code ' +
    'and write it into enrolmentCode.',
  'server-away': AGAIN,
  'server-restarts': AGAIN,
  'not-accepted':
    "Compare productLogin with the server's. A code is for one device: have the operator make a new one, and write it into " +
    'enrolmentCode.',
  'gave-up': AGAIN,
  replaced: 'The card was copied: one of the two has to go.',
  revoked: "Ask the server's operator; a new enrolment code links it again.",
  'too-often': `${AGAIN} If it stays so: was the card copied, or does the network at the site cut connections?`,
  'try-later': AGAIN,
  other: AGAIN,
};

/** `problem`: as `relayctl status` shows it. */
export function linkWords(problem: string, cause: LinkCause): Words {
  return { headline: `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`, advice: ADVICE[cause] };
}

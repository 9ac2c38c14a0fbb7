import type { LinkCause, LinkProblem } from '../../agent/link/link-problem';
import { linkText } from './link';

const NO_LINK = 'no link can be made';
const ROUND_TRIP = '{url} answers, round trip {roundTripMs} ms';
const CERTIFICATE = { means: 'no link can be made from then on', cure: "renew the server's certificate" };
// Commands have a time exchange of their own on the link.
const OFF_MEANS = 'times in logs and proofs are wrong; commands are not touched by it';
const SET_CLOCK =
  '"timedatectl set-ntp true", and see that a time server can be reached (UDP port 123); on a card of relaygate-flash, timeServers of relaygate-site.json names one';

export const OF_SERVERS = {
  'name-known': { found: '{host} is {addresses}' },
  'name-unknown': {
    found: '{host} has no address ({problem})',
    means: NO_LINK,
    cure: "look at the network and at the name's spelling in link.serverUrl",
  },
  'server-answers': { found: ROUND_TRIP },
  'server-slow': {
    found: ROUND_TRIP,
    means: 'commands have 4.5 s to begin, there and back',
    cure: 'look at the network',
  },
  'server-away': ({
    url,
    problem,
    serverCaFile,
  }: {
    url: string;
    problem: LinkProblem;
    serverCaFile: string | null;
  }) => ({
    found: `${url} cannot be reached: ${linkText(problem)}`,
    means: NO_LINK,
    cure: cureOf(problem.cause, serverCaFile),
  }),
  'certificate-not-seen': { found: 'not seen: there is no connection', cure: 'see "server"' },
  'no-certificate': { found: 'none: the server is on this machine' },
  'certificate-well': { found: 'ends {ends}, in {days} days' },
  'certificate-ends': { found: 'ends {ends}, in {days} days', ...CERTIFICATE },
  'clock-never-set': {
    found: '{now}: it was never set since the start',
    means: 'a certificate that is newer than that is not valid yet, so no link can be made',
    cure: `set it: ${SET_CLOCK}`,
  },
  'clock-alone': { found: "{now}; the server's is not known", cure: 'see "server"' },
  'clock-in-step': { found: '{now}, in step with the server' },
  'clock-ahead': {
    found: '{now}, {seconds} s ahead of the server',
    means: OFF_MEANS,
    cure: `set it: ${SET_CLOCK}`,
  },
  'clock-behind': {
    found: '{now}, {seconds} s behind the server',
    means: OFF_MEANS,
    cure: `set it: ${SET_CLOCK}`,
  },
  'time-service-silent': {
    found: 'timedatectl does not answer',
    means: 'who sets the clock is not known',
    cure: 'look again with sudo; if it still does not answer, run a time service',
  },
  'time-kept': { found: 'the clock is kept by a time service' },
  'time-not-kept': {
    found: 'no time service has set the clock',
    means: 'after a power cut it is behind',
    cure: SET_CLOCK,
  },
} as const;

function cureOf(cause: LinkCause, serverCaFile: string | null): string {
  switch (cause) {
    case 'expired':
    case 'clock-behind':
      return 'look at this device\'s clock (see "clock"), then at the server\'s certificate';
    case 'other-name':
      return 'use the name in link.serverUrl that the certificate is for';
    case 'not-trusted':
      return serverCaFile === null
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

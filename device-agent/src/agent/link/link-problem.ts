/** Why there is no link, in one place for relayctl, console and page: a word for programs, and words for people. */
import { printable } from '../../runtime/printable';
import { codeOf, problemOf } from '../../runtime/problem';

/** The beginning of what is shown to a technician; details follow in brackets. */
export const LINK_WORDS = {
  'not-tried': 'not tried yet',
  'name-unknown': "the server's name does not resolve",
  'no-name-server': 'no name server answers: is this device in a network?',
  'no-way': 'no way leads to the server from this network',
  'nothing-listens': "refused: nothing listens at the server's address and port",
  silent: 'the server does not answer',
  'no-handshake': 'no link within',
  'gone-silent': 'nothing heard for',
  broken: 'the connection broke',
  'no-tls': 'what listens there does not speak TLS',
  'not-trusted': "the server's certificate is not trusted",
  'other-name': "the server's certificate is for another name",
  expired: "the server's certificate has expired, or this device's clock is ahead",
  'clock-behind': "the server's certificate is not valid yet: check this device's clock",
  'no-relaygate': 'what answers there is no Relaygate server',
  'other-server': 'the server calls itself',
  'epoch-too-far': "the server's link epoch is too far above the last one",
  'server-away': 'the server went away',
  'server-restarts': 'the server restarts',
  'not-accepted': 'the server refused this device: product login, enrolment code or key is wrong',
  'gave-up': 'the server gave up waiting for this device',
  replaced: 'another link with the key of this device has taken over',
  revoked: 'this device was revoked on the server',
  'too-often': 'this device has linked too often; the server makes it wait',
  'try-later': 'the server cannot take the link now',
} as const;
/** `other`: what no word is for; the problem says it. */
export type LinkCause = keyof typeof LINK_WORDS | 'other';

export interface LinkProblem {
  cause: LinkCause;
  /** The other side's or the system's words; empty: none. */
  details: string;
}

const CAUSES: ReadonlyMap<string, LinkCause> = new Map<string, LinkCause>([
  ['ENOTFOUND', 'name-unknown'],
  ['ENODATA', 'name-unknown'],
  ['EAI_AGAIN', 'no-name-server'],
  ['ENETUNREACH', 'no-way'],
  ['EHOSTUNREACH', 'no-way'],
  ['ENETDOWN', 'no-way'],
  ['ECONNREFUSED', 'nothing-listens'],
  ['ETIMEDOUT', 'silent'],
  ['ECONNRESET', 'broken'],
  ['EPIPE', 'broken'],
  ['EPROTO', 'no-tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'no-tls'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'no-tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'other-name'],
  ['CERT_HAS_EXPIRED', 'expired'],
  ['CERT_NOT_YET_VALID', 'clock-behind'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'not-trusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'not-trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not-trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'not-trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'not-trusted'],
  ['CERT_SIGNATURE_FAILURE', 'not-trusted'],
  ['CERT_UNTRUSTED', 'not-trusted'],
]);
/** What ws says without a code. */
const WS_CAUSES: readonly [RegExp, LinkCause][] = [
  [/^Unexpected server response: \d/, 'no-relaygate'],
  [/^Server sent (no|an invalid) subprotocol/, 'no-relaygate'],
  [/^Opening handshake has timed out/, 'silent'],
];

/** An error of the connection. */
export function linkCauseOf(error: unknown): LinkCause {
  const known = CAUSES.get(codeOf(error));
  return known ?? WS_CAUSES.find(([pattern]) => pattern.test(problemOf(error)))?.[1] ?? 'other';
}

/** Details are the other side's, so they are made printable. */
export function linkProblemOf(error: unknown): LinkProblem {
  const cause = linkCauseOf(error);
  // OpenSSL's message has an address in memory, another one each time; whoever sets the clock needs none.
  const message = cause === 'no-tls' ? '' : printable(problemOf(error));
  // Of several addresses that were tried the error has a code and no message.
  const details = cause === 'clock-behind' ? '' : message || codeOf(error);
  return { cause, details: cause === 'other' ? details || 'the connection failed' : details };
}

/** In English. */
export function linkText({ cause, details }: LinkProblem): string {
  if (cause === 'other') return details;
  if (details === '') return LINK_WORDS[cause];
  return `${LINK_WORDS[cause]} ${isWithin(cause) ? details : `(${details})`}`;
}

/** Its details end the English sentence, and belong to no other. */
export function isWithin(cause: LinkCause): boolean {
  return cause === 'no-handshake' || cause === 'gone-silent' || cause === 'other-server';
}

/** Why there is no link, as a word for programs with what the other side or the system said. */
import type { LINK } from '../../locales/en/link';
import { printable } from '../../runtime/printable';
import { codeOf, problemOf } from '../../runtime/problem';

/** `other`: what no word is for; the problem says it. */
export type LinkCause = keyof typeof LINK | 'other';

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
  // If several addresses were tried, the error has a code and no message.
  const details = cause === 'clock-behind' ? '' : message || codeOf(error);
  return { cause, details: cause === 'other' ? details || 'the connection failed' : details };
}

import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Randomness } from '@relaygate/shared';

const MAC_BYTES = 32;

/**
 * What a message's authentication code covers beside its body, so that no message passes for another. `boundTo`: of an answer,
 * the code of the request; of a request, nothing.
 */
export interface Envelope {
  direction: 'request' | 'answer';
  /** Of the request, also for its answer. */
  subject: string;
  boundTo: Uint8Array;
}

export interface Unsealed {
  mac: Uint8Array;
  body: Uint8Array;
}

/** The key of messages between nodes, made of a secret that all nodes of an installation have. */
export function messageKey(secret: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'relaygate messages between nodes v1', MAC_BYTES)));
}

/** An HMAC-SHA256 of 32 bytes, then the body. */
export function seal(key: KeyObject, envelope: Envelope, body: Uint8Array): Unsealed & { data: Uint8Array } {
  const mac = macOf(key, envelope, body);
  return { mac, body, data: Buffer.concat([mac, body]) };
}

/** Null if the message was not sealed with this key for this envelope. */
export function unseal(key: KeyObject, envelope: Envelope, data: Uint8Array): Unsealed | null {
  if (data.length < MAC_BYTES) return null;
  const [mac, body] = [data.subarray(0, MAC_BYTES), data.subarray(MAC_BYTES)];
  return timingSafeEqual(mac, macOf(key, envelope, body)) ? { mac, body } : null;
}

/** A subject has no line ends and a code has a fixed length, so that no two envelopes have the same text. */
function macOf(key: KeyObject, { direction, subject, boundTo }: Envelope, body: Uint8Array): Uint8Array {
  const head = `${direction}\n${subject}\n${Buffer.from(boundTo).toString('hex')}\n`;
  return createHmac('sha256', key).update(head).update(body).digest();
}

/** Names a process or a question: 128 random bits, so that nobody guesses it. */
export function newToken(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(16)).toString('hex');
}

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { RelaygateError } from '@relaygate/shared';

/** 128 bits. */
const MAC_BYTES = 16;

/** Which list a cursor is of, so that it counts for no other. */
export interface ListName {
  clientId: string;
  /** Its words, and the login of the product if it is of one. */
  list: readonly string[];
}

/**
 * Where a page of a list ended, as a text that only this installation can make: with a changed one, a list would seem to end early.
 * `secret`: what all nodes of an installation have, and nobody else.
 */
export class PageCursors {
  readonly #secret: KeyObject;

  constructor(secret: KeyObject) {
    this.#secret = secret;
  }

  /** Letters, digits, dashes and underscores. `position`: nothing that the client must not know, for it can be read. */
  textOf(name: ListName, position: string): string {
    return Buffer.concat([this.#macOf(name, position), Buffer.from(position)]).toString('base64url');
  }

  /** Fails with `invalid-params` if the text is no cursor of this list. */
  positionOf(name: ListName, text: string): string {
    const position = Buffer.from(text, 'base64url').subarray(MAC_BYTES).toString();
    const [given, right] = [Buffer.from(text), Buffer.from(this.textOf(name, position))];
    if (given.length === right.length && timingSafeEqual(given, right)) return position;
    throw new RelaygateError('invalid-params', 'cursor is none that this list has given to this client');
  }

  #macOf({ clientId, list }: ListName, position: string): Buffer {
    const text = JSON.stringify(['relaygate page cursor v1', clientId, list, position]);
    return createHmac('sha256', this.#secret).update(text).digest().subarray(0, MAC_BYTES);
  }
}

import { createHmac } from 'node:crypto';
import type { Randomness } from '@relaygate/shared';
import { detailsOf } from './audit-record';
import type { KeptNames, StoredAuditRecord } from './audit-store';
import { membersOf } from './json-members';

/**
 * What the chains hold of a name: its HMAC under a salt of its own. The salt stands beside the name and is erased with it. While
 * both stand, nobody can put another name in their place; without them, nobody can tell whose name it was.
 */
export function nameCommitment(salt: string, name: string): string {
  return createHmac('sha256', salt).update(name).digest('base64url').slice(0, COMMITMENT_CHARS);
}

/** 192 bits: nobody finds two names for one. */
const COMMITMENT_CHARS = 32;
const SALT_BYTES = 24;

export function newNameSalt(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(SALT_BYTES)).toString('base64url');
}

/** What a client is called whose name was erased. */
export function erasedClientName(clientId: string): string {
  return `(erased) ${clientId}`;
}

/** Ids of people from before they were commitments: nothing confirms what they stand for. */
const COUNTED_ID = /^[0-9]{1,15}$/;

/** A name that still stands must be the one that was recorded. A client's is in the record of its creation, a person's is its id. */
export class CommittedNames {
  readonly #clients = new Map<string, string>();

  take(record: StoredAuditRecord): void {
    if (record.format === 1 || record.kind !== 'client-created') return;
    const { nameCommitment: commitment } = detailsOf(record.body);
    const { client } = membersOf(record.body);
    if (typeof client === 'string' && typeof commitment === 'string') this.#clients.set(client, commitment);
  }

  disagreements({ people, clients }: KeptNames): string[] {
    const changedPeople = people.filter(
      ({ id, name, salt }) => name !== null && !COUNTED_ID.test(id) && !isCommitted(id, name, salt),
    );
    const changedClients = clients.filter(({ clientId, name, salt }) => {
      const commitment = this.#clients.get(clientId);
      if (commitment === undefined || (salt === null && name === erasedClientName(clientId))) return false;
      return !isCommitted(commitment, name, salt);
    });
    return [
      ...changedPeople.map(
        ({ id, name }) =>
          `the name of the person ${id} was changed: records of somebody else are shown as those of ${name}`,
      ),
      ...changedClients.map(
        ({ clientId, name }) => `the name of the client ${clientId} was changed: it was not created as ${name}`,
      ),
    ];
  }
}

function isCommitted(commitment: string, name: string, salt: string | null): boolean {
  return salt !== null && nameCommitment(salt, name) === commitment;
}

import { createHmac } from 'node:crypto';
import type { Randomness } from '@relaygate/shared';
import { detailsIn } from './audit-record';
import type { KeptNames, StoredAuditRecord } from './audit-store';
import { membersOf } from './json-members';

/**
 * What the chains hold of a name: its HMAC under a salt of its own. The salt is stored with the name and erased with it. As long as
 * both are stored, a changed name is found; without them, nobody can find out whose name it was.
 */
export function nameCommitment(salt: string, name: string): string {
  return createHmac('sha256', salt).update(name).digest('base64url').slice(0, COMMITMENT_CHARS);
}

/** 192 bits: nobody finds two names for one. */
const COMMITMENT_CHARS = 32;
const SALT_BYTES = 24;

/** 192 random bits in base64url. */
export function newNameSalt(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(SALT_BYTES)).toString('base64url');
}

/** What a client is called whose name was erased. */
export function erasedClientName(clientId: string): string {
  return `(erased) ${clientId}`;
}

/** Ids of people from before they were commitments: nothing confirms what they stand for. */
const COUNTED_ID = /^[0-9]{1,15}$/;

/**
 * Checks that each stored name is the one that was recorded, and that each erased name was recorded as erased. The commitment to a
 * client's name is in the record of the client's creation; the commitment to a person's name is the person's id.
 */
export class CommittedNames {
  readonly #clients = new Map<string, string>();
  readonly #people = new Set<string>();
  readonly #erasedClients = new Set<string>();
  #erasedPeople = 0;

  take({ format, kind, body }: StoredAuditRecord): void {
    // The first format has no ids of people, and its names were never erased.
    if (format === 1) return;
    const isErasing = kind === 'name-erased';
    if (!isErasing && kind !== 'client-created' && !body.includes('"actor":')) return;
    const members = membersOf(body);
    const { client, actor } = members;
    const { nameCommitment: commitment, names } = detailsIn(members);
    if (kind === 'client-created' && typeof client === 'string' && typeof commitment === 'string') {
      this.#clients.set(client, commitment);
    }
    if (isErasing && typeof client === 'string') this.#erasedClients.add(client);
    if (isErasing && typeof names === 'number') this.#erasedPeople += names;
    if (typeof actor !== 'string') return;
    // If the first action of a person erases the person's own name, the record does not count it.
    if (isErasing && client === undefined && !this.#people.has(actor)) this.#erasedPeople += 1;
    this.#people.add(actor);
  }

  /** `before`: what was kept before the first record was read. `isWhole`: all records since the first one were read. */
  disagreements(before: KeptNames, { people, clients }: KeptNames, isWhole: boolean): string[] {
    const changedPeople = people.filter(
      ({ id, name, salt }) => name !== null && !COUNTED_ID.test(id) && !isCommitted(id, name, salt),
    );
    const changedClients = clients.filter(({ clientId, name, salt }) => {
      const commitment = this.#clients.get(clientId);
      if (commitment === undefined || isErased({ clientId, name, salt })) return false;
      return !isCommitted(commitment, name, salt);
    });
    const kept = new Set(people.map(({ id }) => id));
    const removed = [...this.#people].filter((id) => !kept.has(id));
    return [
      ...changedPeople.map(
        ({ id, name }) =>
          `the name of the person ${id} was changed: records of somebody else are shown as those of ${name}`,
      ),
      ...changedClients.map(
        ({ clientId, name }) => `the name of the client ${clientId} was changed: it was not created as ${name}`,
      ),
      ...removed.map((id) => `the name of the person ${id} was removed, although records have this id`),
      ...(isWhole ? this.#unrecordedErasings(before) : []),
    ];
  }

  #unrecordedErasings({ people, clients }: KeptNames): string[] {
    const count = people.filter(({ name }) => name === null).length;
    const unrecorded = clients.filter((one) => isErased(one) && !this.#erasedClients.has(one.clientId));
    return [
      ...(count > this.#erasedPeople
        ? [`${count} names of people were erased, but records say so of ${this.#erasedPeople} only`]
        : []),
      ...unrecorded.map(({ clientId }) => `the name of the client ${clientId} was erased, but no record says so`),
    ];
  }
}

function isErased({ clientId, name, salt }: KeptNames['clients'][number]): boolean {
  return salt === null && name === erasedClientName(clientId);
}

function isCommitted(commitment: string, name: string, salt: string | null): boolean {
  return salt !== null && nameCommitment(salt, name) === commitment;
}

import type { AuditDetails, AuditEntry, AuditRecord } from './audit-record';

/**
 * The body of a record names products, clients and people by ids, so that a name can be erased without breaking a chain. It
 * leaves out what the reader knows: what is null, that a new command is pending, and all of an outcome that the record of
 * its command says.
 */
interface RecordBody {
  product?: number;
  client?: string;
  command?: string;
  /** Id in the table of names: a commitment to the name (`committed-name.ts`), in older records a number. */
  actor?: string | number;
  details?: AuditDetails;
}

/** The ids of what an entry names. */
export interface EntryIds {
  productId?: number | undefined;
  actorId?: string | undefined;
}

/** Where a reader finds the names of ids. Undefined: it does not know the id any more. */
export interface NamesOfIds {
  productLogin(productId: number): Promise<string | undefined>;
  /** Of an operator or a technician. */
  person(nameId: string): Promise<string | undefined>;
  clientName(clientId: string): Promise<string | undefined>;
  command(commandId: string): Promise<CommandOfOutcome | undefined>;
}

/** What the outcome of a command does not repeat. */
export interface CommandOfOutcome {
  productLogin: string;
  clientId: string;
  numOutput: number;
}

/** What is shown for a name that was erased. */
export const ERASED = '(erased)';

/** The body of a record of this entry, as JSON. */
export function bodyOf({ kind, clientId, commandId, details }: AuditEntry, ids: EntryIds): string {
  const leftOut = LEFT_OUT[kind] ?? NOTHING;
  let kept: AuditDetails | undefined;
  for (const name in details) {
    const value = details[name] ?? null;
    if (leftOut[name] === ANY || leftOut[name] === value) continue;
    kept ??= {};
    kept[name] = value;
  }
  const product = kind === 'outcome' ? undefined : ids.productId;
  return JSON.stringify({ product, client: clientId, command: commandId, actor: ids.actorId, details: kept });
}

/** By kind: details that are left out if they have this value; `ANY`: always. */
const ANY = Symbol('any');
type LeftOut = Record<string, AuditDetails[string] | typeof ANY>;
const NOTHING: LeftOut = {};
const LEFT_OUT: Partial<Record<string, LeftOut>> = {
  command: { state: null, bootId: null, outcome: 'pending', reason: null },
  outcome: { reason: null, numOutput: ANY },
  'client-created': { name: ANY },
  'client-activated': { name: ANY },
  'client-deactivated': { name: ANY },
  'client-key-rotated': { name: ANY },
  'device-history': { actor: ANY },
};

/** What a technician called himself, in an entry of a device's history. */
export function technicianIn({ details }: AuditEntry): string | undefined {
  return typeof details?.actor === 'string' ? details.actor : undefined;
}

/** The entry as it was made, with the names that the ids have now. */
export async function entryOf(
  { kind, atMs, body }: Pick<AuditRecord, 'kind' | 'atMs' | 'body'>,
  names: NamesOfIds,
): Promise<AuditEntry> {
  const { product, client, command, actor, details }: RecordBody = JSON.parse(body);
  const ofCommand = kind === 'outcome' && command !== undefined ? await names.command(command) : undefined;
  const person = actor === undefined ? undefined : ((await names.person(String(actor))) ?? ERASED);
  const productLogin = product === undefined ? ofCommand?.productLogin : await names.productLogin(product);
  const clientId = client ?? ofCommand?.clientId;
  const allDetails = await detailsOf(kind, { details, ofCommand, person, clientId }, names);
  return {
    // The list of kinds grows; a kind of a newer program is shown as it is.
    kind: kind as AuditEntry['kind'],
    atMs,
    ...(productLogin === undefined ? {} : { productLogin }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(command === undefined ? {} : { commandId: command }),
    ...(person === undefined || kind === 'device-history' ? {} : { actor: person }),
    ...(allDetails === undefined ? {} : { details: allDetails }),
  };
}

interface Known {
  details: AuditDetails | undefined;
  ofCommand: CommandOfOutcome | undefined;
  person: string | undefined;
  clientId: string | undefined;
}

/** With what the body leaves out. */
async function detailsOf(
  kind: string,
  { details, ofCommand, person, clientId }: Known,
  names: NamesOfIds,
): Promise<AuditDetails | undefined> {
  switch (kind) {
    case 'command': {
      const { numOutput = null, action = null, state = null, ...rest } = details ?? {};
      const { bootId = null, outcome = 'pending', reason = null } = rest;
      return { numOutput, action, state, bootId, outcome, reason };
    }
    case 'outcome': {
      const { outcome = null, reason = null, state } = details ?? {};
      if (state === undefined) return { outcome, reason };
      return { outcome, reason, ...(ofCommand ? { numOutput: ofCommand.numOutput } : {}), state };
    }
    case 'product-created': {
      // It only shows that the product's id still stands for this login.
      const { login, ...rest } = details ?? {};
      return rest;
    }
    case 'device-history':
      return { ...details, ...(person === undefined ? {} : { actor: person }) };
    case 'client-created': {
      // It only shows that the client's name is still the one that was given.
      const { nameCommitment, ...rest } = details ?? {};
      return named(clientId, rest, names);
    }
    case 'client-activated':
    case 'client-deactivated':
    case 'client-key-rotated':
      return named(clientId, details, names);
    default:
      return details;
  }
}

async function named(
  clientId: string | undefined,
  details: AuditDetails | undefined,
  names: NamesOfIds,
): Promise<AuditDetails> {
  const name = clientId === undefined ? undefined : await names.clientName(clientId);
  return { ...(name === undefined ? {} : { name }), ...details };
}

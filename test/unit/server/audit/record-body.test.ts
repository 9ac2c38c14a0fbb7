import { describe, expect, test } from '@jest/globals';
import type { AuditEntry } from '@relaygate/server/audit/audit-record';
import { bodyOf, entryOf, type NamesOfIds, technicianIn } from '@relaygate/server/audit/record-body';

const NAMES: NamesOfIds = {
  productLogin: async (id) => (id === 7 ? 'gate' : undefined),
  person: async (id) => (id === '3' ? 'cli as ana' : undefined),
  clientName: async (id) => (id === 'app' ? 'Front desk' : undefined),
  command: async (id) => (id === 'c1' ? { productLogin: 'gate', clientId: 'app', numOutput: 2 } : undefined),
};
const IDS = { productId: 7, actorId: '3' };

/** With the ids of what it names. */
function readBack(entry: AuditEntry): Promise<AuditEntry> {
  const { kind, atMs, productLogin, actor } = entry;
  const ids = {
    productId: productLogin === undefined ? undefined : IDS.productId,
    actorId: (actor ?? technicianIn(entry)) === undefined ? undefined : IDS.actorId,
  };
  return entryOf({ kind, atMs, body: bodyOf(entry, ids) }, NAMES);
}

const COMMAND: AuditEntry = {
  kind: 'command',
  atMs: 1,
  productLogin: 'gate',
  clientId: 'app',
  commandId: 'c1',
  details: { numOutput: 2, action: 'set', state: 1, bootId: 'b', outcome: 'pending', reason: null },
};

describe('an entry is read back as it was made', () => {
  test.each<[string, AuditEntry]>([
    ['a command', COMMAND],
    [
      'a command that ended before it was sent',
      {
        ...COMMAND,
        details: {
          numOutput: 2,
          action: 'toggle',
          state: null,
          bootId: null,
          outcome: 'expired',
          reason: 'not-linked',
        },
      },
    ],
    [
      'an outcome, with what its command says',
      {
        kind: 'outcome',
        atMs: 2,
        productLogin: 'gate',
        clientId: 'app',
        commandId: 'c1',
        details: { outcome: 'executed', reason: null, numOutput: 2, state: 0 },
      },
    ],
    [
      'a client with its name',
      { kind: 'client-created', atMs: 3, clientId: 'app', details: { name: 'Front desk', keyId: 'k' } },
    ],
    ['a change without details', { kind: 'product-activated', atMs: 4, productLogin: 'gate' }],
    [
      'what a technician did',
      { kind: 'device-history', atMs: 5, productLogin: 'gate', details: { deviceSeq: 1, actor: 'cli as ana' } },
    ],
  ])('%s', async (_, entry) => {
    expect(await readBack(entry)).toEqual(entry);
  });

  test('with who did it, if a person did', async () => {
    expect(await readBack({ ...COMMAND, actor: 'cli as ana' })).toMatchObject({ actor: 'cli as ana' });
  });
});

test('a body has ids and no names, and what is usual is left out', () => {
  expect(bodyOf({ ...COMMAND, actor: 'cli as ana' }, IDS)).toBe(
    '{"product":7,"client":"app","command":"c1","actor":"3","details":{"numOutput":2,"action":"set","state":1,"bootId":"b"}}',
  );
  const created: AuditEntry = {
    kind: 'client-created',
    atMs: 1,
    clientId: 'app',
    details: { name: 'Desk', keyId: 'k' },
  };
  expect(bodyOf(created, {})).toBe('{"client":"app","details":{"keyId":"k"}}');
});

test('an outcome repeats nothing of its command', () => {
  const details = { outcome: 'executed', reason: null, numOutput: 2, state: 0 };
  const entry: AuditEntry = { kind: 'outcome', atMs: 1, productLogin: 'gate', commandId: 'c1', details };
  expect(bodyOf(entry, IDS)).toBe('{"command":"c1","actor":"3","details":{"outcome":"executed","state":0}}');
});

test('a name that was erased is shown as erased, in both places', async () => {
  const erased = { ...NAMES, person: async () => undefined };
  const operators = { kind: 'command', atMs: 1, body: '{"actor":3,"details":{"numOutput":0}}' };
  expect(await entryOf(operators, erased)).toMatchObject({ actor: '(erased)' });
  const technicians = { kind: 'device-history', atMs: 1, body: '{"actor":3,"details":{"deviceSeq":1}}' };
  expect(await entryOf(technicians, erased)).toMatchObject({ details: { actor: '(erased)' } });
});

import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hashClientKey, newClientKey, parseClientKey } from '@relaygate/server/clients/client-key';
import type { NewClient } from '@relaygate/server/clients/client-store';
import { createClient } from '@relaygate/server/clients/provision';
import type { Randomness } from '@relaygate/shared';

/** Bytes that count up, so that no two of them are alike. */
function counting(): Randomness {
  let next = 0;
  return {
    bytes: (size) =>
      Uint8Array.from({ length: size }, () => {
        next += 1;
        return next % 256;
      }),
    fraction: () => 0,
  };
}

test('a new key names its id and holds 256 bits of secret', () => {
  const { keyId, clientKey } = newClientKey(counting());
  const [prefix, id, secret, ...rest] = clientKey.split('_');
  expect([prefix, id, rest]).toEqual(['rgc', keyId, []]);
  expect((secret ?? '').length * 5).toBeGreaterThanOrEqual(256);
  expect(parseClientKey(clientKey)).toEqual({ keyId });
});

test('the hash is SHA-256 of the whole key', () => {
  expect(hashClientKey('rgc_x')).toBe(createHash('sha256').update('rgc_x').digest('hex'));
});

test('what is not such a key has no id', () => {
  const { keyId, clientKey } = newClientKey(counting());
  const secret = clientKey.slice(-52);
  const wrong = [
    '',
    'rgc_',
    keyId,
    `rgc_${keyId}`,
    ` ${clientKey}`,
    `${clientKey}\n`,
    `${clientKey}0`,
    clientKey.slice(0, -1),
  ];
  wrong.push(clientKey.toUpperCase(), `rgc__${secret}`, `rgr_${keyId}_${secret}`, `rgc_${keyId}_${'u'.repeat(52)}`);
  for (const text of wrong) expect([text, parseClientKey(text)]).toEqual([text, undefined]);
});

test('a created client is stored with the hash of its key, never with the key', async () => {
  const stored: NewClient[] = [];
  const store = { createClient: async (client: NewClient) => void stored.push(client) };
  const created = await createClient(
    { store, randomness: counting(), wallClock: { epochMs: () => 1234 } },
    'Front desk',
  );
  const { clientId, clientKey } = created;
  const { keyId } = parseClientKey(clientKey) ?? {};
  expect(stored).toEqual([
    { clientId, name: 'Front desk', keyId, keyHash: hashClientKey(clientKey), createdAtMs: 1234 },
  ]);
  expect(JSON.stringify(stored)).not.toContain(clientKey.slice(-52));
});

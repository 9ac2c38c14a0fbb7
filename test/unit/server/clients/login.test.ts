import { describe, expect, test } from '@jest/globals';
import { hashClientKey, newClientKey } from '@relaygate/server/clients/client-key';
import type { ClientKeyRecord } from '@relaygate/server/clients/client-store';
import { login } from '@relaygate/server/clients/login';
import { FailureCounter } from '@relaygate/server/limits/failure-counter';
import { FAILED_ATTEMPTS_PER_MINUTE } from '@relaygate/shared';
import { systemRandomness } from '@relaygate/shared/system';
import { VirtualClock } from '../../../support/time/virtual-clock';

/** T24: what an attempt costs shows nothing about the key. */
describe('wrong secrets and unknown ids take the same way', () => {
  test.each([0, FAILED_ATTEMPTS_PER_MINUTE + 5])(
    'after %i failures: one reading of the database each',
    async (before) => {
      const [known, unknown] = [newClientKey(systemRandomness), newClientKey(systemRandomness)];
      const record: ClientKeyRecord = { clientId: 'c', keyHash: hashClientKey(known.clientKey), active: true };
      const read: string[] = [];
      const store = {
        async findClientKey(keyId: string) {
          read.push(keyId);
          return keyId === known.keyId ? record : undefined;
        },
      };
      const clock = new VirtualClock();
      const limiter = new FailureCounter(clock);
      const codeOf = (key: string, address: string) =>
        login({ store, wallClock: clock }, limiter, key, address).then(
          () => 'ok',
          (error: { code: string }) => error.code,
        );
      for (let n = 0; n < before; n += 1) await codeOf('nonsense', 'here');
      const wrong = known.clientKey.slice(0, -1) + (known.clientKey.endsWith('0') ? '1' : '0');
      const refusal = before === 0 ? 'client-key-not-found' : 'too-many-requests';
      expect(await codeOf(wrong, 'here')).toBe(refusal);
      expect(await codeOf(unknown.clientKey, 'here')).toBe(refusal);
      expect(await codeOf(known.clientKey, 'here')).toBe('ok');
      expect(read).toEqual([known.keyId, unknown.keyId, known.keyId]);
    },
  );
});

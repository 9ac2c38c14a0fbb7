import { describe, expect, test } from '@jest/globals';
import type { RefreshFamily } from '@relaygate/server/tokens/family-store';
import { decideRefresh } from '@relaygate/server/tokens/refresh-family';
import { REFRESH_GRACE_MS, REFRESH_IDLE_MS } from '@relaygate/shared';

const ROTATED = Date.UTC(2026, 0, 1);
const FAMILY: RefreshFamily = {
  familyId: 'f',
  clientId: 'c',
  keyId: 'k',
  generation: 3,
  tokenHash: 'h',
  rotatedAtMs: ROTATED,
  revoked: false,
};

describe('a refresh family', () => {
  test.each([
    ['the live token', 3, 1_000, 'rotate'],
    ['the live token, unused for too long', 3, REFRESH_IDLE_MS + 1, 'reject'],
    ['the direct parent within the grace', 2, REFRESH_GRACE_MS, 'replay'],
    ['the direct parent after the grace', 2, REFRESH_GRACE_MS + 1, 'revoke'],
    ['the direct parent after the clock went back by an hour', 2, -3_600_000, 'revoke'],
    ['the grandparent, however soon', 1, 1, 'revoke'],
    ['a token of the future (a database restored from a backup)', 4, 1, 'reject'],
  ])('%s', (_name, generation, sinceRotationMs, decision) => {
    expect(decideRefresh(FAMILY, generation, ROTATED + sinceRotationMs).kind).toBe(decision);
  });

  test.each([0, 2, 3, 4])('nothing of a revoked family is taken: generation %i', (generation) => {
    expect(decideRefresh({ ...FAMILY, revoked: true }, generation, ROTATED).kind).toBe('reject');
  });
});

/** Deliberate faults of refresh families (I13). */
import { refreshTokenOf } from '@relaygate/server/tokens/refresh-token';
import type { Sabotage } from './sabotage';

/** A parent that comes again moves its family on, so that it has two successors. */
export function forksFamilies(): Sabotage {
  return {
    actions: (actions, { store, secrets }) => ({
      ...actions,
      async refresh(claim) {
        const [, familyId = '', generation] = claim.refreshToken.split('_');
        const family = await store.direct.findFamily(familyId);
        const isParent = family !== undefined && !family.revoked && family.generation === Number(generation) + 1;
        return actions.refresh(
          isParent ? { ...claim, refreshToken: refreshTokenOf(secrets.refreshSecret, family) } : claim,
        );
      },
    }),
  };
}

/** A lost answer may be asked for again for ever. */
export function replaysForEver(): Sabotage {
  return {
    storage: (storage, { server }) => ({
      ...storage,
      async findFamily(familyId) {
        const family = await storage.findFamily(familyId);
        return family && { ...family, rotatedAtMs: server.epochMs() };
      },
    }),
  };
}

/** Whoever shows a token that is long used up is refused, and the family goes on. */
export function forgivesReuse(): Sabotage {
  return { storage: (storage) => ({ ...storage, revokeFamily: async () => {} }) };
}

/** An answer that got lost is never given again. */
export function replaysNothing(): Sabotage {
  return {
    actions: (actions, { store }) => ({
      ...actions,
      async refresh(claim) {
        const [, familyId = '', generation] = claim.refreshToken.split('_');
        const family = await store.direct.findFamily(familyId);
        const isParent = family?.generation === Number(generation) + 1;
        return actions.refresh(isParent ? { ...claim, refreshToken: 'rgr_lost' } : claim);
      },
    }),
  };
}

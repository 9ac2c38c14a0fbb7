/** Deliberate faults of what clients may do and see. */
import { RelaygateError } from '@relaygate/shared';
import type { Sabotage } from './sabotage';

/** A token is believed for as long as it is signed, whatever became of its client. */
export function believesEveryToken(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      async readAccess(...asked) {
        const access = await storage.readAccess(...asked);
        return access && { ...access, clientActive: true };
      },
    }),
    actions: (actions) => ({
      ...actions,
      async clientOf(accessToken) {
        return actions.clientOf(accessToken).catch(() => {
          const [, claims = ''] = accessToken.split('.');
          return JSON.parse(Buffer.from(claims, 'base64url').toString()).sub;
        });
      },
    }),
  };
}

export function showsNoCommand(): Sabotage {
  return {
    actions: (actions) => ({
      ...actions,
      commandStatus: () => Promise.reject(new RelaygateError('not-found')),
    }),
  };
}

export function hasSeenNoDevice(): Sabotage {
  return {
    actions: (actions) => ({
      ...actions,
      productState: async (...asked) => ({ ...(await actions.productState(...asked)), lastSeenAt: null }),
    }),
  };
}

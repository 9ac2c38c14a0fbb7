/** Deliberate faults of devices that nobody may move from afar before their wiring is proven. */
import { PROOF_PATH, SETTINGS_PATH } from '../machines/card';
import type { Sabotage } from './sabotage';

/** The agent reads settings that ask for no proof. */
export function asksForNoProof(): Sabotage {
  return {
    agentFiles: (files) => ({
      ...files,
      async read(path) {
        const text = await files.read(path);
        if (path !== SETTINGS_PATH || text === null) return text;
        return text.replace(/"requireProof": ?true/, '"requireProof": false');
      },
    }),
  };
}

/** A proof is confirmed and kept in memory only. */
export function keepsProofsInMemory(): Sabotage {
  return {
    agentFiles: (files) => ({
      ...files,
      replace: async (path, text, options) => (path === PROOF_PATH ? undefined : files.replace(path, text, options)),
    }),
  };
}

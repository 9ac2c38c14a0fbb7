/** Deliberate faults in what clients are told of a product's state (I11). */
import type { Sabotage } from './sabotage';

/** What is asked for now is called seen now. */
export function callsReadingsSeen(): Sabotage {
  return {
    actions: (actions, { server }) => ({
      ...actions,
      async productState(clientId, productLogin) {
        const state = await actions.productState(clientId, productLogin);
        return { ...state, lastSeenAt: new Date(server.epochMs()).toISOString() };
      },
    }),
  };
}

/** And its states observed now. */
export function callsReadingsObserved(): Sabotage {
  return {
    actions: (actions, { server }) => ({
      ...actions,
      async productState(clientId, productLogin) {
        const state = await actions.productState(clientId, productLogin);
        const observedAt = new Date(server.epochMs()).toISOString();
        return { ...state, outputs: state.outputs.map((output) => ({ ...output, observedAt })) };
      },
    }),
  };
}

/** Linked is whoever was seen a short while ago. */
export function callsSeenLinked(): Sabotage {
  const recentlyMs = 10_000;
  return {
    actions: (actions, { server }) => ({
      ...actions,
      async productState(clientId, productLogin) {
        const state = await actions.productState(clientId, productLogin);
        return { ...state, connected: server.epochMs() - Date.parse(state.lastSeenAt ?? '') < recentlyMs };
      },
    }),
  };
}

/** A link's end is taken for a sign of life. */
export function callsLostSeen(): Sabotage {
  return {
    storage: (storage, { server }) => ({
      ...storage,
      closeLink: (productLogin, epoch) => storage.closeLink(productLogin, epoch, server.epochMs()),
    }),
  };
}

/** Of what devices report only the first word counts. */
export function keepsFirstReports(): Sabotage {
  const reported = new Set<string>();
  return {
    storage: (storage) => ({
      ...storage,
      async saveReport(productLogin, epoch, report) {
        if (reported.has(productLogin)) return true;
        reported.add(productLogin);
        return storage.saveReport(productLogin, epoch, report);
      },
    }),
  };
}

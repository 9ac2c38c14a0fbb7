/** Deliberate faults of the server, played at its ports. */
import { Dispatcher } from '@relaygate/server/commands/dispatcher';
import { refreshTokenOf } from '@relaygate/server/tokens/refresh-token';
import { type Command, EXECUTION_DEADLINE_MS, PENDING_SWEEP_MS, STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import { changed } from './changed';
import type { Sabotage } from './sabotage';

/** A retry layer: what was sent and not confirmed is sent again on the next link, under a new id. */
export function resendsOnReconnect(): Sabotage {
  const unconfirmed = new Map<string, Command>();
  return {
    serverLink: ({ productLogin, send }, { server, scheduler, chance }) => {
      let epoch = 0;
      return {
        sent(text) {
          const message = JSON.parse(text);
          if (message.type === 'welcome') epoch = message.epoch;
          if (message.type === 'command') unconfirmed.set(productLogin, message);
          return text;
        },
        received(text) {
          const { type } = JSON.parse(text);
          const lost = unconfirmed.get(productLogin);
          if (type === 'result') unconfirmed.delete(productLogin);
          if (type === 'resume' && lost) {
            unconfirmed.delete(productLogin);
            const commandId = `${lost.commandId.slice(0, -12)}${Buffer.from(chance.bytes(6)).toString('hex')}`;
            const executeBeforeMs = server.clock.localMs(scheduler.nowMs) + EXECUTION_DEADLINE_MS;
            send(JSON.stringify({ ...lost, epoch, commandId, executeBeforeMs }));
          }
          return text;
        },
      };
    },
  };
}

/** Retransmission: the same command goes out again when no answer has come for a second. */
export function retransmits(): Sabotage {
  return {
    serverLink: ({ send }, { scheduler }) => {
      const waiting = new Set<string>();
      return {
        sent(text) {
          const message = JSON.parse(text);
          if (message.type !== 'command') return text;
          waiting.add(message.commandId);
          scheduler.in(1_000, () => waiting.has(message.commandId) && send(text));
          return text;
        },
        received(text) {
          const message = JSON.parse(text);
          if (message.type === 'result') waiting.delete(message.commandId);
          return text;
        },
      };
    },
  };
}

/** Neither deadline frees the slot of a command whose device stays silent. Their timer is set when the record's time is over. */
export function neverReleasesSlot(): Sabotage {
  const most = EXECUTION_DEADLINE_MS - STORAGE_WRITE_TIMEOUT_MS;
  const isThat = (delayMs: number): boolean => delayMs > most - 100 && delayMs < most + 0.001;
  return {
    serverClock: (clock) => ({
      nowMs: () => clock.nowMs(),
      after: (delayMs, run) => (isThat(delayMs) ? () => {} : clock.after(delayMs, run)),
    }),
  };
}

/** Results are taken for the command that waits, whatever their id. */
export function takesAnyResult(): Sabotage {
  const last = new Map<string, string>();
  return {
    serverLink: ({ productLogin }) => ({
      sent(text) {
        const message = JSON.parse(text);
        if (message.type === 'command') last.set(productLogin, message.commandId);
        return text;
      },
      received(text) {
        const message = JSON.parse(text);
        const commandId = last.get(productLogin);
        return message.type === 'result' && commandId ? JSON.stringify({ ...message, commandId }) : text;
      },
    }),
  };
}

/** A refresh token's grandparent is good enough. */
export function acceptsGrandparents(): Sabotage {
  return {
    actions: (actions, { store, secrets }) => ({
      ...actions,
      async refresh(claim) {
        const [, familyId = ''] = claim.refreshToken.split('_');
        const family = await store.direct.findFamily(familyId);
        if (!family || family.revoked) return actions.refresh(claim);
        const refreshToken = refreshTokenOf(secrets.refreshSecret, family);
        const { accessToken } = await actions.refresh({ ...claim, refreshToken });
        const generation = family.generation + 1;
        return { accessToken, refreshToken: refreshTokenOf(secrets.refreshSecret, { familyId, generation }) };
      },
    }),
  };
}

/** The audit is written behind the sending. */
export function auditsAfterSending(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      async recordCommand(command) {
        storage.recordCommand(command).catch(() => {});
        return true;
      },
    }),
  };
}

/** Who may do what is read once. */
export function cachesAuthorisations(): Sabotage {
  return {
    storage: (storage) => {
      const cache = new Map<string, ReturnType<typeof storage.readAccess>>();
      return {
        ...storage,
        readAccess(clientId, productLogin, numOutput) {
          const key = `${clientId} ${productLogin} ${numOutput}`;
          const cached = cache.get(key) ?? storage.readAccess(clientId, productLogin, numOutput);
          cache.set(key, cached);
          return cached;
        },
      };
    },
  };
}

/** An association is acknowledged before it is durable. */
export function acknowledgesBeforeWriting(): Sabotage {
  return {
    storage: (storage, { scheduler }) => ({
      ...storage,
      async associate(clientId, productLogin, atMs) {
        scheduler.in(5_000, () => void storage.associate(clientId, productLogin, atMs).catch(() => {}));
        return true;
      },
    }),
  };
}

/** Links of one product do not tell each other apart. */
export function countsNoEpochs(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      openLink: async (productLogin, opening) => {
        const epoch = await storage.openLink(productLogin, opening);
        return epoch === undefined ? undefined : 1;
      },
    }),
  };
}

/** A second command waits for the first instead of being told 409. */
export function queuesCommands(): Sabotage {
  return {
    actions: (actions, { scheduler }) => ({
      ...actions,
      async drive(order) {
        for (;;) {
          const answer = await actions.drive(order);
          if (answer.kind !== 'error' || answer.code !== 'request-already-pending') return answer;
          await new Promise<void>((resolve) => void scheduler.in(300, resolve));
        }
      },
    }),
  };
}

/** Whoever knows a product's login sees its state. */
export function showsStatesToAll(): Sabotage {
  return { storage: (storage) => ({ ...storage, isAssociated: async () => true }) };
}

/** Whoever knows a command's id sees what became of it. */
export function showsCommandsToAll(): Sabotage {
  return {
    actions: (actions, { store }) => ({
      ...actions,
      async commandStatus(clientId, commandId) {
        const command = await store.direct.findCommand(commandId);
        return actions.commandStatus(command?.clientId ?? clientId, commandId);
      },
    }),
  };
}

/** Commands run in the first client's name. */
export function confusesClients(): Sabotage {
  return {
    actions: (actions) => ({ ...actions, drive: (order) => actions.drive({ ...order, clientId: 'client-0' }) }),
  };
}

/** An outcome that the database refuses once is gone. */
export function forgetsRefusedOutcomes(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      recordOutcome: (outcome) => storage.recordOutcome(outcome).catch(() => true),
    }),
  };
}

/** Neither a start nor a sweep settles anything of what the last run left open. */
export function leavesPendingBehind(): Sabotage {
  const nothing = { interruptPending: async () => 0, openCommands: async () => [], pendingCommands: async () => [] };
  return { storage: (storage) => ({ ...storage, ...nothing }) };
}

/** The sweep comes every half second and forgets that commands may be in flight. */
export function settlesWhatIsInFlight(): Sabotage {
  return {
    serverClock: (clock) => ({
      nowMs: () => clock.nowMs(),
      after: (delayMs, run) => clock.after(delayMs === PENDING_SWEEP_MS ? 500 : delayMs, run),
    }),
    inside: () => changed(Dispatcher.prototype, 'inFlight', () => () => new Set()),
  };
}

/** A revoked device keeps its link. */
export function ignoresRevocations(): Sabotage {
  return { storage: (storage) => ({ ...storage, revocationCount: async () => 0 }) };
}

/** The key that a link was opened with is not looked at again once it is welcomed. */
export function missesRevocationAtOpening(): Sabotage {
  return {
    storage: (storage) => {
      const opened = new Map<string, string>();
      return {
        ...storage,
        openLink: async (productLogin, opening) => {
          const epoch = await storage.openLink(productLogin, opening);
          opened.set(productLogin, opening.publicKey);
          return epoch;
        },
        findProduct: async (productLogin) => {
          const product = await storage.findProduct(productLogin);
          const devicePublicKey = opened.get(productLogin);
          opened.delete(productLogin);
          return product && devicePublicKey !== undefined ? { ...product, devicePublicKey } : product;
        },
      };
    },
  };
}

/** The server answers 200 and hopes. */
export function answersBeforeExecution(): Sabotage {
  return {
    actions: (actions) => ({
      ...actions,
      async drive(order) {
        const answer = await actions.drive(order);
        const isTimeout = answer.kind === 'error' && answer.code === 'device-timeout';
        if (!isTimeout || answer.commandId === undefined) return answer;
        return { kind: 'ok', commandId: answer.commandId };
      },
    }),
  };
}

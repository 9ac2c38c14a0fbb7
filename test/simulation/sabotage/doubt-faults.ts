/** Deliberate faults of parts that do not know and go on all the same (I14). */
import type { CommandAccess } from '@relaygate/server/commands/command-store';
import type { Sabotage } from './sabotage';

/** Authorisations are remembered for when the database is away, and audit records are dropped then. */
export function goesOnWithoutDatabase(): Sabotage {
  const known = new Map<string, CommandAccess | undefined>();
  return {
    storage: (storage) => ({
      ...storage,
      async readAccess(clientId, productLogin, numOutput) {
        const key = `${clientId} ${productLogin} ${numOutput}`;
        const access = await storage.readAccess(clientId, productLogin, numOutput).catch(() => known.get(key));
        known.set(key, access);
        return access;
      },
      recordCommand: (command) => storage.recordCommand(command).catch(() => true),
    }),
  };
}

/** What a request asks for is looked at only where it cannot be done. */
export function failsOverBadInput(): Sabotage {
  return {
    actions: (actions) => ({
      ...actions,
      async drive(order) {
        const answer = await actions.drive(order);
        const isBadInput = answer.kind === 'error' && answer.code === 'invalid-params';
        return isBadInput ? { kind: 'error', code: 'unknown' } : answer;
      },
    }),
  };
}

/** A server that does not tell the time, and a device that takes its own guess for it. */
export function guessesTime(): Sabotage {
  return {
    serverLink: () => ({ sent: (text) => (text.startsWith('{"type":"time"') ? null : text) }),
    agentLink: (_device, { server, scheduler }, hear) => ({
      sent(text) {
        const message = JSON.parse(text);
        const serverMs = server.clock.localMs(scheduler.nowMs);
        if (message.type === 'time') scheduler.in(1, () => hear(JSON.stringify({ ...message, serverMs })));
        return text;
      },
    }),
  };
}

/** Whoever can sign for some key is the device. */
export function trustsAnyKey(): Sabotage {
  /** By product: with which key a device has come last. */
  const asked = new Map<string, string>();
  return {
    serverLink: () => ({
      received(text) {
        if (!text.includes('"type":"hello"')) return text;
        const { productLogin, publicKey } = JSON.parse(text) as Record<string, string>;
        if (productLogin !== undefined && publicKey !== undefined) asked.set(productLogin, publicKey);
        return text;
      },
    }),
    storage: (storage) => ({
      ...storage,
      async findProduct(productLogin) {
        const product = await storage.findProduct(productLogin);
        const key = asked.get(productLogin);
        return product?.devicePublicKey && key !== undefined ? { ...product, devicePublicKey: key } : product;
      },
      async openLink(productLogin, opening) {
        const product = await storage.findProduct(productLogin);
        return storage.openLink(productLogin, { ...opening, publicKey: product?.devicePublicKey ?? opening.publicKey });
      },
    }),
  };
}

/** A mode that nobody knows must be on-off. */
export function guessesModes(): Sabotage {
  return {
    guardFiles: (files) => ({
      ...files,
      async read(path) {
        return (await files.read(path))?.replaceAll('"mode":"sometimes"', '"mode":"on-off"') ?? null;
      },
    }),
  };
}

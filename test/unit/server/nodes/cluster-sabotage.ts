import type { CommandRecord } from '@relaygate/server/commands/command-store';
import { KnownCommands } from '@relaygate/server/commands/known-commands';
import type { NodeRouter, OtherNode, RoutedAnswer, RoutedCommand } from '@relaygate/server/commands/order';
import type { RoutedCommands } from '@relaygate/server/commands/routed-commands';
import type { BusMessage } from '@relaygate/server/router/message-bus';
import { messageKey, seal } from '@relaygate/server/router/seal';
import type { Storage } from '@relaygate/server/storage/storage';
import { newSecrets } from '../../../support/server/test-server';

/** Of all nodes. */
export const SECRETS = newSecrets();

/** Whose fault it is. */
interface FaultyNode {
  readonly name: string;
  /** How wrong its wall clock is. */
  readonly wallMs: number;
}

/** A deliberate fault of all three nodes. */
export interface Sabotage {
  /** What the node asks of the database instead. */
  asked?(name: string, args: unknown[]): unknown[];
  /** How much later the database's clock is for this node. */
  databaseAheadMs?(node: FaultyNode): number;
  /** What is done before and behind what the database is asked. */
  around?(database: Storage, name: string, args: unknown[], ask: () => Promise<unknown>): Promise<unknown>;
  /** What a write is told whose commit waits for a standby; undefined: nothing. */
  early?(name: string): { value: unknown } | undefined;
  commands?(commands: Pick<RoutedCommands, 'take'>, node: FaultyNode): Pick<RoutedCommands, 'take'>;
  router?(router: NodeRouter, node: FaultyNode): NodeRouter;
  /** A message as the node takes it. */
  heard?(subject: string, message: BusMessage): BusMessage;
}

function giverOf([record]: unknown[]): [string, string] {
  const { clientId, productLogin } = record as CommandRecord;
  return [clientId, productLogin];
}

/** Passes commands on to other nodes like this. */
function toOthers(dispatch: (node: OtherNode, command: RoutedCommand) => Promise<RoutedAnswer>) {
  return (router: NodeRouter): NodeRouter => ({
    get isConnected() {
      return router.isConnected;
    },
    stop: (ms) => router.stop(ms),
    nodeOf: (name) => {
      const node = router.nodeOf(name);
      return node && { dispatch: (command) => dispatch(node, command) };
    },
  });
}

/**
 * Name, what the checker must say, and the fault, made anew for each game. There is none of a fence without a lock of the product's
 * row, because transactions that write run one after the other (RECORD_OF_NODE).
 */
export const SABOTAGES: [string, string, () => Sabotage][] = [
  [
    'records a command without looking who owns the product (no fence)',
    'I12: recorded by a node that had lost the product',
    () => ({
      asked: (name, [record, ...rest]) =>
        name === 'recordCommand' ? [{ ...(record as object), node: undefined }, ...rest] : [record, ...rest],
    }),
  ],
  [
    "judges leases by the node's wall clock",
    'a command in calm was not carried out',
    () => ({ databaseAheadMs: ({ wallMs }) => wallMs }),
  ],
  [
    "uses the caller's deadline without translating it to the owner's clock",
    'I2: sent too late',
    () => {
      const acceptedAtMs = new Map<string, number>();
      return {
        router: toOthers((node, command) => {
          acceptedAtMs.set(command.commandId, command.acceptedAtMs);
          return node.dispatch(command);
        }),
        commands: (commands) => ({
          take: (command) =>
            commands.take({
              ...command,
              acceptedAtMs: acceptedAtMs.get(command.commandId) ?? command.acceptedAtMs,
            }),
        }),
      };
    },
  ],
  [
    // Either fault alone goes unnoticed, because each check alone keeps REVOKED_MS. The storage contract tests the record alone.
    'believes what a node has read of the authorisation before, also when it records the command',
    'I13: sent after the revocation',
    () => {
      const read = new Set<string>();
      return {
        async around(database, name, args, ask) {
          const [clientId, productLogin] = name === 'recordCommand' ? giverOf(args) : (args as [string, string]);
          const isAgain = name === 'recordCommand' || (name === 'readAccess' && read.has(clientId));
          if (name === 'readAccess') read.add(clientId);
          if (!isAgain || (await database.readAccess(clientId, productLogin, 0))?.associated !== false) return ask();
          await database.associate(clientId, productLogin, 0);
          return ask().finally(() => database.dissociate(clientId, productLogin, 0));
        },
      };
    },
  ],
  [
    'is told of a record that no standby has taken',
    'I8: the record of a command that was sent is lost',
    () => ({ early: (name) => (name === 'recordCommand' ? { value: true } : undefined) }),
  ],
  [
    'takes a repeated message again',
    'told that nothing was done, and it was',
    () => {
      const known = KnownCommands.prototype;
      return {
        commands: (commands) => ({
          async take(command) {
            const { take } = known;
            known.take = () => 'new';
            const taken = commands.take(command);
            known.take = take;
            return taken;
          },
        }),
      };
    },
  ],
  [
    'believes a message without looking at its authentication code',
    'nobody has given the command',
    () => ({
      heard(subject, message) {
        const { data } = message;
        if (!subject.includes('.command.') || data.length <= 32) return message;
        const envelope = { direction: 'request', subject, boundTo: new Uint8Array() } as const;
        return { ...message, data: seal(messageKey(SECRETS.refreshSecret), envelope, data.subarray(32)).data };
      },
    }),
  ],
  [
    'carries out a command of another node twice',
    'I1: sent twice',
    () => ({
      commands: (commands) => ({
        async take(command) {
          await commands.take(command);
          return commands.take({ ...command, commandId: `${command.commandId}-again` });
        },
      }),
    }),
  ],
  [
    'gives up a command of another node, and does not say so there',
    'sent after the answer',
    () => ({
      router: toOthers(async (node, command) => {
        void node.dispatch(command);
        return { kind: 'error', code: 'device-timeout', commandId: command.commandId };
      }),
    }),
  ],
  [
    'calls done what it has only passed on',
    'told that it was done, and it was not',
    () => ({
      router: toOthers(async (node, command) => {
        void node.dispatch(command);
        return { kind: 'ok', commandId: command.commandId };
      }),
    }),
  ],
];

import type {
  CommandAccess,
  CommandRecord,
  CommandStore,
  CommandView,
  OutcomeRecord,
} from '@relaygate/server/commands/command-store';
import { Dispatcher, type DispatcherDeps } from '@relaygate/server/commands/dispatcher';
import { LateOutcomes, type LateOutcomesDeps } from '@relaygate/server/commands/late-outcomes';
import type { CommandAnswer, CommandOrder, RoutedCommand } from '@relaygate/server/commands/order';
import { OutcomeRecorder } from '@relaygate/server/commands/outcome-recorder';
import type { LinkAvailability, LocalLinks } from '@relaygate/server/devices/presence';
import { SOLE_NODE } from '@relaygate/server/nodes/membership';
import type { ProductOwner } from '@relaygate/server/nodes/node-store';
import type { Command, CommandConfirmation } from '@relaygate/shared';
import { VirtualClock } from '../time/virtual-clock';
import { collectingLog } from './collecting-log';

export type Sent = Omit<Command, 'type' | 'epoch'>;
export const GATE = 'gate';
export const ORDER: CommandOrder = {
  clientId: 'c',
  productLogin: GATE,
  numOutput: 0,
  action: { action: 'set', state: 1 },
};
export const ALLOWED: CommandAccess = {
  clientActive: true,
  clientName: undefined,
  associated: true,
  productActivated: true,
  outputActivated: true,
  deviceEnrolled: true,
};

type Stores = DispatcherDeps['store'] & LateOutcomesDeps['store'] & Pick<CommandStore, 'recordOutcome'>;

/** The command path with everything around it played by this class: the link, the database, the clock. */
export class DispatcherBench implements LocalLinks {
  readonly clock = new VirtualClock();
  readonly log = collectingLog();
  readonly sent: Sent[] = [];
  readonly records: CommandRecord[] = [];
  readonly outcomes: OutcomeRecord[] = [];
  readonly open = new Map<string, CommandRecord>();
  /** Of every product that `links` does not name. */
  link: LinkAvailability = { kind: 'up', bootId: 'boot-1' };
  readonly links = new Map<string, LinkAvailability>();
  access: CommandAccess = ALLOWED;
  /** Set to play one of several nodes; `owner`: what the database says of the product then. */
  readonly node: { instance: string | undefined; safeUntilMs: number } = { ...SOLE_NODE };
  owner: ProductOwner = { nodeName: 'node-1', epoch: 1, isConnected: true, isWorthWaiting: true, isSlotTaken: false };
  /** False: the database records no command, because of its key or its client. */
  isRecorded = true;
  /** Set to fail the reading of an authorisation. */
  authorising: () => Promise<void> = async () => {};
  /** Set to hold, or fail, what the database is asked to write. */
  writing: () => Promise<void> = async () => {};
  /** Set to fail what it is asked about open commands. */
  reading: () => Promise<void> = async () => {};
  readonly recorder: OutcomeRecorder;
  readonly late: LateOutcomes;
  readonly dispatcher: Dispatcher;
  #ids = 0;
  #frames = 0;

  constructor(make: (parts: DispatcherDeps) => Dispatcher = (parts) => new Dispatcher(parts)) {
    const store: Stores = {
      readAccess: async () => {
        await this.authorising();
        return this.access;
      },
      productOwner: async () => this.owner,
      findCommand: async (commandId) => {
        await this.reading();
        return this.view(commandId);
      },
      recordCommand: async (record) => {
        await this.writing();
        if (!this.isRecorded) return false;
        this.records.push(record);
        if (record.outcome === 'pending') this.open.set(record.commandId, record);
        return true;
      },
      recordBoot: async (commandId, bootId) => {
        await this.writing();
        const command = this.open.get(commandId);
        if (command) this.open.set(commandId, { ...command, bootId });
        return command !== undefined;
      },
      recordOutcome: async (outcome) => {
        await this.writing();
        if (this.open.get(outcome.commandId)?.productLogin !== outcome.productLogin) return false;
        this.outcomes.push(outcome);
        if (outcome.outcome !== 'unknown') this.open.delete(outcome.commandId);
        return true;
      },
      findOpen: async (login, commandId) => {
        await this.reading();
        const command = this.open.get(commandId);
        return command?.productLogin === login ? command : undefined;
      },
      openCommands: async (login) => {
        await this.reading();
        return [...this.open.values()].filter(({ productLogin }) => productLogin === login);
      },
    };
    const { clock, log } = this;
    this.recorder = new OutcomeRecorder(store, clock, log);
    this.late = new LateOutcomes({ store, outcomes: this.recorder, clock, wallClock: clock, log });
    const { late } = this;
    const newCommandId = () => `command-${++this.#ids}`;
    const paths = { store, links: this, node: this.node, nodeName: 'node-1', outcomes: this.recorder, late };
    const parts = { ...paths, clock, wallClock: clock, log, newCommandId };
    this.dispatcher = make(parts);
  }

  /** As the database has it. */
  view(commandId: string): CommandView | undefined {
    const record = this.records.find((each) => each.commandId === commandId);
    const { outcome = 'pending', resolvedAtMs = null } =
      this.outcomes.findLast((each) => each.commandId === commandId) ?? {};
    return record && { ...record, outcome, resolvedAtMs };
  }

  stateOf(productLogin: string): LinkAvailability {
    return this.links.get(productLogin) ?? this.link;
  }

  send(productLogin: string, command: Sent): boolean {
    if (this.stateOf(productLogin).kind !== 'up') return false;
    this.sent.push(command);
    return true;
  }

  /** The answer once there is one, with the time it took. */
  ask(
    order: CommandOrder = ORDER,
    accepted?: Pick<RoutedCommand, 'commandId' | 'acceptedAtMs'>,
  ): { now(): CommandAnswer | undefined; afterMs(): number } {
    const startMs = this.clock.nowMs();
    let answer: CommandAnswer | undefined;
    let tookMs = Number.NaN;
    void this.dispatcher.dispatch(order, undefined, accepted).then((given) => {
      answer = given;
      tookMs = this.clock.nowMs() - startMs;
    });
    return { now: () => answer, afterMs: () => tookMs };
  }

  /** Each is heard on one link, one behind the other. */
  confirm(
    commandId: string,
    outcome: CommandConfirmation['outcome'] = 'executed',
    told: Pick<CommandConfirmation, 'numOutput' | 'reason'> = { numOutput: 0 },
  ): void {
    const version = { epoch: 1, seq: ++this.#frames };
    this.dispatcher.confirmed(GATE, { commandId, outcome, state: 1, ...told, version });
  }
}

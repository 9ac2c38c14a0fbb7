import type { CommandRecord } from '@relaygate/server/commands/command-store';
import type { Device } from '../machines/device';
import type { World } from '../machines/world';
import { isTwin } from '../people/faults';
import type { StoredCall } from '../ports/database/stored-call';
import type { Edge } from '../witnesses/board-records';
import type { Call, ClientRequest, History, Life, Trouble } from '../witnesses/history';
import { oldUntilMs, type Wiping } from '../witnesses/on-site-records';
import { startOf } from '../witnesses/started';
import { type Order, ordersOf } from './orders';
import { SettingsInForce } from './settings-in-force';

type DriveRequest = Extract<ClientRequest, { kind: 'set' | 'toggle' }>;
export interface DriveCall extends Call {
  request: DriveRequest;
}

/** A command that acquired its product's command slot, with everything that was seen of it. */
export interface Command {
  record: CommandRecord;
  takenMs: number;
  /** Committed; null: never. */
  recordedMs: number | null;
  /** The server's answer to its client; null: the server died before. */
  call: DriveCall | null;
  /** When the slot was free again. */
  freeMs: number;
  edges: Edge[];
}

/** A change of an input's contact, by the world's clock and by the device's. */
export type Contact = History['contacts'][number];

/** The history, sorted by what the invariants speak of. */
export class Facts {
  readonly world: World;
  readonly history: History;
  readonly endMs: number;
  readonly commands = new Map<string, Command>();
  readonly driveCalls: DriveCall[];
  readonly settings: SettingsInForce;
  readonly orders: readonly Order[];
  /** Edges that a journal names a command for, by it; `unknown` else. */
  readonly #commandIds = new Map<Edge, string | null>();
  readonly #contacts = new Map<string, Contact[]>();

  constructor(world: World) {
    this.world = world;
    this.history = world.history;
    this.endMs = world.scheduler.nowMs;
    this.settings = new SettingsInForce(world.history, (machine, n) => this.device(machine).setup.outputs[n]);
    this.driveCalls = this.history.calls.filter(isDriveCall);
    this.orders = ordersOf(this.history);
    for (const contact of this.history.contacts) {
      const key = `${contact.machine} ${contact.input}`;
      const known = this.#contacts.get(key);
      if (known) known.push(contact);
      else this.#contacts.set(key, [contact]);
    }
    this.#gatherCommands();
    this.#gatherEdges();
  }

  /** Null: no command's. Undefined: a command's that no journal knows. */
  commandIdOf(edge: Edge): string | null | undefined {
    return edge.notAfterMs === null ? null : (this.#commandIds.get(edge) ?? undefined);
  }

  device(machine: string): Device {
    const device = this.world.device(machine);
    if (!device) throw new Error(`there is no ${machine}`);
    return device;
  }

  get devices(): readonly Device[] {
    return this.world.devices;
  }

  /** The one of the product that is no copy. */
  deviceOf(productLogin: string): Device | undefined {
    return this.world.devices.find((device) => device.setup.productLogin === productLogin && !isTwin(device));
  }

  /** Of one relay, in the order in which they came. */
  edgesOf(machine: string, numOutput: number): Edge[] {
    return this.history.edges.filter((edge) => edge.machine === machine && edge.output === numOutput);
  }

  /** Of one input, in the order in which they came. */
  contactsOf(machine: string, numInput: number): readonly Contact[] {
    return this.#contacts.get(`${machine} ${numInput}`) ?? [];
  }

  stored(...names: StoredCall['name'][]): StoredCall[] {
    return this.history.stored.filter(({ name }) => names.includes(name));
  }

  /** Factory resets of this machine from which there was no way back. */
  wipingsOf(machine: string): Wiping[] {
    return this.history.wipings.filter((one) => one.machine === machine);
  }

  /** The device at the one time is not what it was at the other: it was reset between them. */
  isWipedBetween(machine: string, fromMs: number, untilMs: number): boolean {
    return this.wipingsOf(machine).some((wiping) => oldUntilMs(wiping) >= fromMs && wiping.markedMs <= untilMs);
  }

  livesOf(name: string): Life[] {
    return this.history.lives.filter((life) => life.name === name);
  }

  /** How long, within the time from..until, a process or machine had this trouble. */
  troubleMs(name: string, kinds: readonly Trouble['kind'][], fromMs: number, untilMs: number): number {
    const troubles = this.history.troubles
      .filter((trouble) => trouble.name === name && kinds.includes(trouble.kind))
      .toSorted((one, other) => one.fromMs - other.fromMs);
    let sum = 0;
    let doneMs = fromMs;
    for (const trouble of troubles) {
      const endMs = Math.min(untilMs, trouble.untilMs);
      sum += Math.max(0, endMs - Math.max(doneMs, trouble.fromMs));
      doneMs = Math.max(doneMs, endMs);
    }
    return sum;
  }

  /** When a process had this long without trouble, from `fromMs` on; a trouble begins the time anew. */
  workedBy(name: string, kinds: readonly Trouble['kind'][], fromMs: number, durationMs: number): number {
    return this.history.troubles
      .filter((trouble) => trouble.name === name && kinds.includes(trouble.kind) && trouble.untilMs >= fromMs)
      .toSorted((one, other) => one.fromMs - other.fromMs)
      .reduce((byMs, t) => (t.fromMs <= byMs ? Math.max(byMs, t.untilMs + durationMs) : byMs), fromMs + durationMs);
  }

  /** Since when it had this long without trouble, up to `untilMs`. */
  workedSince(name: string, kinds: readonly Trouble['kind'][], untilMs: number, durationMs: number): number {
    return this.history.troubles
      .filter((trouble) => trouble.name === name && kinds.includes(trouble.kind) && trouble.fromMs <= untilMs)
      .toSorted((one, other) => other.untilMs - one.untilMs)
      .reduce(
        (sinceMs, t) => (t.untilMs >= sinceMs ? Math.min(sinceMs, t.fromMs - durationMs) : sinceMs),
        untilMs - durationMs,
      );
  }

  hasTrouble(name: string, kinds: readonly Trouble['kind'][], fromMs: number, untilMs: number): boolean {
    return this.history.troubles.some(
      (t) => t.name === name && kinds.includes(t.kind) && t.fromMs <= untilMs && t.untilMs >= fromMs,
    );
  }

  #gatherCommands(): void {
    const calls = new Map(
      this.driveCalls.flatMap((call) => {
        const { commandId, isReplayed } = call.answer ?? {};
        return commandId !== undefined && !isReplayed ? [[commandId, call]] : [];
      }),
    );
    const answered = this.stored('recordCommand');
    const recorded = new Map(
      answered.flatMap((one) => (one.result === false ? [] : [[commandIdIn(one.args), one.atMs]])),
    );
    /** Their keys stood for other commands. */
    const refused = new Map(
      answered.flatMap((one) => (one.result === false ? [[commandIdIn(one.args), one.atMs]] : [])),
    );
    const serverDeaths = this.livesOf('server').flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs]));
    for (const { record, atMs } of this.history.taken) {
      const { commandId } = record;
      const call = calls.get(commandId) ?? null;
      const death = serverDeaths.find((diedMs) => diedMs >= atMs) ?? Number.POSITIVE_INFINITY;
      this.commands.set(commandId, {
        record,
        takenMs: atMs,
        recordedMs: recorded.get(commandId) ?? null,
        call,
        freeMs: Math.min(
          ...[refused.get(commandId), call?.answeredMs, this.#lookedMs(record, atMs), death].filter(isKnown),
        ),
        edges: [],
      });
    }
  }

  /** Behind a 504 its server looks once more what its key stands for, which may take a while. */
  #lookedMs({ clientId, idempotency }: CommandRecord, takenMs: number): number | undefined {
    return this.history.keyReads.find(
      (read) => read.clientId === clientId && read.key === idempotency?.key && read.atMs > takenMs,
    )?.atMs;
  }

  #gatherEdges(): void {
    for (const edge of this.history.edges) {
      if (edge.notAfterMs === null) continue;
      const commandId = startOf(this.history, edge)?.commandId ?? null;
      this.#commandIds.set(edge, commandId);
      if (commandId !== null) this.commands.get(commandId)?.edges.push(edge);
    }
  }
}

function isKnown(ms: number | null | undefined): ms is number {
  return ms !== null && ms !== undefined;
}

function isDriveCall(call: Call): call is DriveCall {
  return call.request.kind === 'set' || call.request.kind === 'toggle';
}

function commandIdIn([record]: readonly unknown[]): string {
  return typeof record === 'object' && record !== null && 'commandId' in record ? String(record.commandId) : '';
}

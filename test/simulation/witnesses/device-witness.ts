import type { Files } from '@relaygate/device-agent/files/files';
import { type Card, CODE_PATH, IDENTITY_PATH, RESET_MARK_PATH, SETTINGS_PATH, WIPED_PATHS } from '../machines/card';
import type { DeviceSetup } from '../machines/device-setup';
import type { MachineClock } from '../machines/machine-clock';
import type { Surroundings } from '../machines/surroundings';
import type { BoardLog } from '../ports/board';
import { type Disk, STATE_PATH } from '../ports/disk';
import type { Edge, FoundOff } from './board-records';
import type { GuardStart, Settled } from './history';
import { inputsIn, type LinkRecord } from './link-record';
import type { Wiping } from './on-site-records';
import { pressOf } from './presses';
import { startOf } from './started';

/** A guard's own, of a command that is through. */
type SettledNote = Pick<Settled, 'commandId' | 'outcome'> &
  Partial<Pick<Settled, 'numOutput' | 'reason' | 'by'>> & { atMs: number };

/** Writes down what passes between the parts of one machine, and between it and the server. */
export class DeviceWitness {
  readonly #world: Surroundings;
  readonly #setup: DeviceSetup;

  readonly #settledKeys = new Set<string>();
  #codeBefore: string | null = null;

  constructor(world: Surroundings, setup: DeviceSetup) {
    this.#world = world;
    this.#setup = setup;
  }

  /** What the server sends. */
  frame(text: string, link: LinkRecord): void {
    const { history, scheduler } = this.#world;
    const { productLogin } = this.#setup;
    const atMs = scheduler.nowMs;
    if (text.startsWith('{"type":"command"')) {
      const { commandId, epoch } = JSON.parse(text);
      history.sent.push({ atMs, productLogin, commandId, epoch });
      this.#world.trace(() => `server sends to ${this.#setup.name}: ${text}`);
    } else if (text.startsWith('{"type":"welcome"')) {
      link.epoch = JSON.parse(text).epoch;
      link.welcomedMs = atMs;
      history.welcomes.push({ atMs, productLogin, epoch: JSON.parse(text).epoch });
      this.#world.trace(() => `server welcomes ${this.#setup.name}: ${text}`);
    }
  }

  /** What a guard finds. Its settings are those that its disk gives it: the file may change after its start. */
  guardStart(bootId: string, state: string | null, files: Files): Files {
    const { history, scheduler } = this.#world;
    const start: GuardStart = {
      machine: this.#setup.name,
      atMs: scheduler.nowMs,
      bootId,
      outputs: [],
      state: JSON.parse(state ?? 'null'),
      stateWrites: [],
    };
    history.guardStarts.push(start);
    const noted = (path: string, work: Promise<void>): Promise<void> => {
      if (path !== STATE_PATH) return work;
      const write = { fromMs: scheduler.nowMs, untilMs: Number.POSITIVE_INFINITY };
      start.stateWrites.push(write);
      return work.finally(() => {
        write.untilMs = scheduler.nowMs;
      });
    };
    return {
      ...files,
      read: async (path) => {
        const text = await files.read(path);
        if (path === SETTINGS_PATH && text !== null) start.outputs = JSON.parse(text).outputs;
        return text;
      },
      replace: (path, text, options) => noted(path, files.replace(path, text, options)),
      sync: (path) => noted(path, files.sync(path)),
    };
  }

  /** What becomes of the card by a factory reset. */
  card(path: string, isDurable: boolean, disk: Disk, card: Card): void {
    const { history, scheduler } = this.#world;
    const { name: machine } = this.#setup;
    const isMarked = disk.durableTextOf(RESET_MARK_PATH) !== null;
    const open = history.wipings.find((one) => one.machine === machine && one.wipedMs === null);
    if (path === RESET_MARK_PATH) {
      // Taken back: a power cut may bring it up again.
      if (open?.beganMs === null && !card.isReset) history.wipings.splice(history.wipings.indexOf(open), 1);
      else if (isDurable && isMarked && !open) this.#beginWiping(disk);
      else if (isDurable && !isMarked && open) this.#endWiping(open, disk);
      return;
    }
    if (!path.startsWith(IDENTITY_PATH) || disk.textOf(path) !== null) return;
    if (!isMarked && path === IDENTITY_PATH) history.unmarked.push({ machine, path, atMs: scheduler.nowMs });
    const wiping = open ?? (isMarked ? this.#beginWiping(disk) : null);
    if (wiping?.beganMs !== null) return;
    wiping.beganMs = scheduler.nowMs;
    wiping.entries = card.history?.entries ?? [];
  }

  #beginWiping(disk: Disk): Wiping {
    const { scheduler, history } = this.#world;
    const { name: machine } = this.#setup;
    const at = { markedMs: scheduler.nowMs, beganMs: null, wipedMs: null, setUpMs: null };
    const wiping: Wiping = { machine, ...at, left: [], entries: [] };
    history.wipings.push(wiping);
    this.#codeBefore = disk.durableTextOf(CODE_PATH);
    this.#world.trace(() => `${machine} is being wiped`);
    return wiping;
  }

  #endWiping(wiping: Wiping, disk: Disk): void {
    wiping.wipedMs = this.#world.scheduler.nowMs;
    wiping.left = WIPED_PATHS.filter((one) => {
      const text = disk.durableTextOf(one);
      // An installer may have put a new code on it meanwhile.
      return text !== null && (one !== CODE_PATH || text === this.#codeBefore);
    });
    this.#world.trace(() => `${wiping.machine} is wiped`);
  }

  /** The journal's lines: of a start before they are written, for from then on the edge may come; of an outcome once they are. */
  journal(text: string, isWritten: boolean): void {
    const { history, scheduler } = this.#world;
    for (const line of text.split('\n')) {
      if (isWritten && line.startsWith('{"outcome"')) {
        const { outcome: became, note } = JSON.parse(line);
        this.#settled({ ...note, ...became });
      }
      if (isWritten) continue;
      if (!line.startsWith('{"started"')) continue;
      const { started: commandId, startBeforeMs } = JSON.parse(line);
      const at = { machine: this.#setup.name, commandId, atMs: scheduler.nowMs };
      history.starts.push({ ...at, startBeforeMs });
      const pressed = pressOf(commandId, this.#setup.inputs);
      if (pressed && !history.asked.some((one) => one.machine === at.machine && one.commandId === commandId))
        history.asked.push({ ...at, ...pressed, epoch: null, hasWaited: false });
    }
  }

  /** What the device tells the server. */
  said(text: string, link: LinkRecord): void {
    if (text.startsWith('{"type":"hello"'))
      link.hello = { publicKey: JSON.parse(text).publicKey, atMs: this.#world.scheduler.nowMs };
    const states = inputsIn(text);
    if (states) {
      const { history, scheduler } = this.#world;
      history.shownInputs.push({ machine: this.#setup.name, atMs: scheduler.nowMs, states });
    }
    if (text.startsWith('{"type":"resume"')) link.resumedMs ??= this.#world.scheduler.nowMs;
  }

  /** What the agent asks of the guard. */
  request(line: string, hasWaited: boolean): void {
    const { history, scheduler } = this.#world;
    const at = { machine: this.#setup.name, atMs: scheduler.nowMs };
    if (line.includes('"type":"epoch"')) history.guardEpochs.push({ ...at, epoch: JSON.parse(line).epoch });
    if (!line.includes('"type":"execute"')) return;
    const { commandId, numOutput, command, epoch, by } = JSON.parse(line);
    history.asked.push({ ...at, commandId, numOutput, command, epoch, by, hasWaited });
    this.#world.trace(() => `guard ${at.machine} is asked for ${commandId}: ${numOutput} ${JSON.stringify(command)}`);
  }

  /** What the guard answers. */
  reply(line: string): void {
    const { history, scheduler } = this.#world;
    const { name: machine } = this.#setup;
    if (line.includes('"outputs":[')) {
      // A status tells of the outputs' last commands as well, whose reasons have the same names.
      const isAway = line.includes('"code":"board-away"');
      history.boardReports.push({ machine, atMs: scheduler.nowMs, isAway });
      return;
    }
    if (!line.includes('"outcome"')) return;
    const { value } = JSON.parse(line);
    const isReply = value?.outcomes === undefined;
    const said: { commandId: string; outcome: string; reason?: string }[] = value?.outcomes ?? [value];
    for (const { commandId, outcome, reason = null } of said) {
      if (outcome === undefined) continue;
      history.verdicts.push({ machine, commandId, outcome, reason, isReply, atMs: scheduler.nowMs });
      this.#world.trace(() => `guard ${machine} says of ${commandId}: ${outcome} ${reason ?? ''}`);
    }
  }

  /** In the journal. */
  #settled({ commandId, numOutput, outcome, reason = null, by = null, atMs }: SettledNote): void {
    const { history, scheduler } = this.#world;
    const { name: machine } = this.#setup;
    const bootId = history.guardStarts.findLast((start) => start.machine === machine)?.bootId;
    const key = `${bootId} ${commandId}`;
    if (this.#settledKeys.has(key) || numOutput === undefined || bootId === undefined) return;
    const at = { atMs: scheduler.nowMs, clockMs: atMs };
    const settled: Settled = { machine, bootId, commandId, numOutput, outcome, reason, by, ...at };
    this.#settledKeys.add(key);
    history.settled.push(settled);
  }

  /** What relays and inputs do. */
  board(clock: MachineClock): BoardLog {
    const { history } = this.#world;
    const { name } = this.#setup;
    return {
      edge: (edge) => {
        const { output, active, cause } = edge;
        history.edges.push(edge);
        const way = active ? 'on' : 'off';
        this.#world.trace(() => `edge ${name} output ${output} ${way} (${cause}, ${this.#commandOf(edge)})`);
      },
      renewal: (renewal) => {
        history.renewals.push(renewal);
        const { output } = renewal;
        this.#world.trace(() => `order ${name} output ${output} is on already (${this.#commandOf(renewal)})`);
      },
      foundOff: (order) => {
        history.foundOff.push(order);
        const { output } = order;
        this.#world.trace(() => `order ${name} output ${output} is off already (${this.#commandOf(order)})`);
      },
      offAsked: (order) => void history.offsAsked.push(order),
      look: (look) => void history.looks.push(look),
      lineLook: (look) => void history.lineLooks.push(look),
      absence: (absence) => {
        const isOver = history.absences.includes(absence);
        if (!isOver) history.absences.push(absence);
        this.#world.trace(() => `the board of ${name} is ${isOver ? 'back' : 'away'}`);
      },
      contact: (change) => {
        const { machine, input, isActive, atMs } = change;
        history.contacts.push({ ...change, clockMs: clock.localMs(atMs) });
        this.#world.trace(() => `contact ${machine} ${input} ${isActive ? 'closes' : 'opens'}`);
      },
      input: (change) => {
        const { input, shows } = change;
        history.inputs.push(change);
        const state = shows === null ? 'nothing' : shows ? 'on' : 'off';
        this.#world.trace(() => `input ${name} ${input} shows ${state}`);
      },
    };
  }

  #commandOf(moved: Edge | FoundOff): string {
    if (moved.notAfterMs === null) return 'no command';
    return startOf(this.#world.history, moved)?.commandId ?? 'unknown command';
  }
}

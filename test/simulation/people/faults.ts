import type { Device } from '../machines/device';
import type { Supervisor } from '../machines/supervisor';
import type { World } from '../machines/world';
import { type Fault, machineOf, SERVER_MACHINE, twinOf } from '../plan/plan';
import type { Connection } from '../ports/connection';
import type { Direction } from '../ports/pipe';
import type { Trouble } from '../witnesses/history';

/** The server waits for so long, and a little, until it starts another writer thread. */
const THREAD_STARTS_WITHIN_MS = 1_100;
/** What a process does in the moment in which it goes on, and be it its last, counts as done by one that works. */
const WAKING_MS = 0.01;

/**
 * How long a board that works again may still hold up a relay. A hanging one has an order in hand for 3 s and then the one behind
 * it; a slow one takes its 420 ms for each. A guard tries again after 100 ms, and for a power-on after a second.
 */
const AFTER_MS = { hangs: 4_500, slow: 1_000, fails: 1_200, deaf: 1_200, stuck: 200 };

/** Carries out what a plan has decided to break, and mends it: by itself after a while, or all at once in the end. */
export class Faults {
  readonly #world: World;
  /** Each mends one fault that still lasts. */
  readonly #mends = new Set<() => void>();
  #isHealed = false;

  constructor(world: World) {
    this.#world = world;
  }

  play(fault: Fault): void {
    this.#world.trace(() => `fault ${JSON.stringify(fault)}`);
    switch (fault.kind) {
      case 'kill':
      case 'kill-at-point':
        return this.#kill(fault);
      case 'power-cut-at-point':
        return this.#powerCutAtPoint(fault);
      case 'stop': {
        const process = this.#processOf(fault.process);
        if (!process?.life) return;
        process.restartMs = fault.restartMs;
        return process.stop();
      }
      case 'stall': {
        const life = this.#processOf(fault.process)?.life;
        if (!life) return;
        life.stall(fault.forMs, fault.timersFirst);
        const trouble = this.#note(fault.process, 'stall', fault.forMs - WAKING_MS);
        // What comes after it is no longer held up by it.
        life.onDeath(() => {
          trouble.untilMs = Math.min(trouble.untilMs, this.#world.scheduler.nowMs);
        });
        return;
      }
      case 'wall-jump':
        return this.#world.server.jumpWallClock(fault.byMs);
      case 'storage':
        return this.#storage(fault);
      case 'power-cut-at-write':
        return this.#powerCutAtWrite(fault);
      case 'twin':
        return this.#twin(fault);
      case 'impostor':
        return this.#impostor(fault);
      default:
        return this.#onMachine(fault);
    }
  }

  /** From here on nothing is broken any more, and whatever is down comes up. */
  heal(): void {
    this.#world.trace(() => 'everything heals');
    this.#isHealed = true;
    for (const mend of [...this.#mends]) mend();
    for (const device of this.#world.devices) if (!isTwin(device)) device.powerOn();
  }

  #onMachine(fault: Extract<Fault, { machine: string }>): void {
    if (fault.kind === 'power-cut' && fault.machine === SERVER_MACHINE) {
      const { server } = this.#world;
      server.cutPower();
      return this.#forAWhile(fault.offMs, () => server.powerOn());
    }
    const device = this.#world.device(fault.machine);
    if (!device || (this.#isHealed && keepsFromLink(fault))) return;
    switch (fault.kind) {
      case 'power-cut':
        device.cutPower();
        return this.#forAWhile(fault.offMs, () => device.powerOn());
      case 'partition': {
        const ways = waysOf(device, fault.direction);
        for (const way of ways) way.block();
        return this.#forAWhile(fault.forMs, () => {
          for (const way of ways) way.unblock();
        });
      }
      case 'delay': {
        const ways = waysOf(device, fault.direction);
        for (const way of ways) way.extraMs += fault.extraMs;
        return this.#forAWhile(fault.forMs, () => {
          for (const way of ways) way.extraMs -= fault.extraMs;
        });
      }
      case 'repeat': {
        const ways = waysOf(device, 'both');
        const ends = ways.map((way) => way.repeats.begin(fault.percent));
        return this.#forAWhile(fault.forMs, () => {
          for (const end of ends) end();
        });
      }
      case 'cut':
        for (const connection of device.connections) cut(connection, fault);
        return;
      case 'board':
        return this.#lasting(fault.machine, 'board', fault.forMs, device.board.faults.begin(fault.mode), {
          afterMs: AFTER_MS[fault.mode],
        });
      case 'board-away':
        return this.#boardAway(device, fault);
      case 'disk':
        return this.#lasting(
          fault.machine,
          fault.mode === 'journal-slow' ? 'journal' : 'disk',
          fault.forMs,
          device.disk.faults.begin(fault.mode),
        );
      case 'spoilt-settings': {
        const mend = device.card.spoilSettings();
        device.guard.kill();
        return this.#forAWhile(fault.forMs, mend);
      }
      case 'deaf-relay':
        return this.#lasting(fault.machine, 'board', fault.forMs, device.board.deafen(fault.output), {
          output: fault.output,
          afterMs: AFTER_MS.deaf,
        });
      case 'relay-drops':
        return device.board.drop(fault.output);
      case 'stuck-relay':
        return this.#lasting(fault.machine, 'board', fault.forMs, device.board.stick(fault.output), {
          output: fault.output,
          afterMs: AFTER_MS.stuck,
        });
      case 'input':
        return this.#forAWhile(fault.forMs, device.board.inputs.begin(fault.output, fault.mode));
      default:
        fault satisfies never;
    }
  }

  /** Not behind the healing, which a plan or an idle guard may do: the run would end before the board is back. */
  #boardAway(device: Device, fault: Extract<Fault, { kind: 'board-away' }>): void {
    const unplug = (): void => {
      if (!this.#isHealed) this.#forAWhile(fault.forMs, device.board.unplug(fault));
    };
    const { life } = device.guard;
    if (fault.points === 0 || !life) return unplug();
    // At this moment, and not in the midst of a call: no driver says there that its board is lost.
    life.atPoint(fault.points, () => this.#world.scheduler.in(0, unplug));
    this.#mends.add(() => life.atPoint(0, () => {}));
  }

  #storage({ mode, forMs }: Extract<Fault, { kind: 'storage' }>): void {
    const { store, scheduler } = this.#world;
    const mend = store.faults.begin(mode);
    const trouble = this.#note('server', 'storage', forMs);
    this.#forAWhile(forMs, () => {
      // A writer thread that has died is started again only then.
      trouble.untilMs = scheduler.nowMs + (mode === 'thread-dies' ? THREAD_STARTS_WITHIN_MS : 0);
      mend();
    });
  }

  #powerCutAtWrite({ offMs }: Extract<Fault, { kind: 'power-cut-at-write' }>): void {
    const { store, scheduler, server, chance } = this.#world;
    store.onNextGroup((forMs) => {
      this.#mends.delete(forget);
      scheduler.in(forMs * chance.fraction(), () => {
        server.cutPower();
        this.#forAWhile(offMs, () => server.powerOn());
      });
    });
    const forget = (): void => {
      this.#mends.delete(forget);
      store.onNextGroup(null);
    };
    this.#mends.add(forget);
  }

  #kill(fault: Extract<Fault, { kind: 'kill' | 'kill-at-point' }>): void {
    const process = this.#processOf(fault.process);
    if (!process?.life) return;
    process.restartMs = fault.restartMs;
    if (fault.kind === 'kill') return process.kill();
    const { life } = process;
    life.dieAtPoint(fault.points);
    this.#mends.add(() => life.dieAtPoint(0));
  }

  #powerCutAtPoint({ process, points, offMs }: Extract<Fault, { kind: 'power-cut-at-point' }>): void {
    const device = this.#world.devices.find(({ guard, agent }) => guard.name === process || agent.name === process);
    const life = this.#processOf(process)?.life;
    if (!device || !life) return;
    life.atPoint(points, () => {
      if (this.#isHealed) return;
      device.cutPower();
      this.#forAWhile(offMs, () => device.powerOn());
    });
    this.#mends.add(() => life.atPoint(0, () => {}));
  }

  #twin({ product, forMs }: Extract<Fault, { kind: 'twin' }>): void {
    const device = this.#world.device(machineOf(product));
    const twin = this.#world.device(twinOf(product));
    if (!device || !twin || twin.hasPower) return;
    twin.card.copy(device.card);
    twin.powerOn();
    this.#forAWhile(forMs, () => {
      twin.cutPower();
      // It may have been told to wait for an hour; whoever finds the copy turns the device off and on.
      device.cutPower();
      this.#world.scheduler.in(100, () => device.powerOn());
    });
  }

  #impostor({ product, forMs, forges }: Extract<Fault, { kind: 'impostor' }>): void {
    const device = this.#world.device(machineOf(product));
    const impostor = this.#world.device(twinOf(product));
    if (!device || !impostor || impostor.hasPower) return;
    const { scheduler, history } = this.#world;
    const claim = { machine: twinOf(product), fromMs: scheduler.nowMs, untilMs: scheduler.nowMs + forMs };
    history.impostors.push(claim);
    impostor.card.pretend(device.card, forges);
    impostor.powerOn();
    this.#forAWhile(forMs, () => {
      claim.untilMs = scheduler.nowMs;
      impostor.cutPower();
    });
  }

  #lasting(
    name: string,
    kind: Trouble['kind'],
    forMs: number,
    mend: () => void,
    more: Pick<Trouble, 'output' | 'afterMs'> = {},
  ): void {
    const trouble = this.#note(name, kind, forMs, more);
    this.#forAWhile(forMs, () => {
      trouble.untilMs = this.#world.scheduler.nowMs;
      mend();
    });
  }

  #note(name: string, kind: Trouble['kind'], forMs: number, more: Pick<Trouble, 'output' | 'afterMs'> = {}): Trouble {
    const { nowMs } = this.#world.scheduler;
    const trouble = { name, kind, ...more, fromMs: nowMs, untilMs: nowMs + forMs };
    this.#world.history.troubles.push(trouble);
    return trouble;
  }

  #forAWhile(forMs: number, mend: () => void): void {
    const once = (): void => {
      if (this.#mends.delete(once)) mend();
    };
    this.#mends.add(once);
    this.#world.scheduler.in(forMs, once);
  }

  #processOf(name: string): Supervisor | undefined {
    const { server, devices } = this.#world;
    const all = [server.process, ...devices.flatMap(({ guard, agent }) => [guard, agent])];
    return all.find((process) => process.name === name);
  }
}

export function isTwin({ setup }: Device): boolean {
  return setup.isTwin;
}

function waysOf({ way }: Device, direction: 'up' | 'down' | 'both'): Direction[] {
  if (direction === 'both') return [way.up, way.down];
  return [way[direction]];
}

function cut(connection: Connection, { knows, lateMs, repeats }: Extract<Fault, { kind: 'cut' }>): void {
  const notified = { dialler: knows === 'both' || knows === 'device', server: knows === 'both' || knows === 'server' };
  connection.cut(notified, lateMs > 0 ? { spreadMs: lateMs, repeats } : null);
}

/** Not behind the healing, where a plan's last steps may be: the run would end before the device is linked again. */
function keepsFromLink({ kind }: Fault): boolean {
  return kind === 'partition' || kind === 'delay';
}

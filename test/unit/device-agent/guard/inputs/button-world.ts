/**
 * A button on a guard in memory: its wire as it really is, a guard that is held up, a board that goes. The world knows
 * when somebody pressed; the judge (button-judge.ts) knows nothing of the guard.
 */
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { InputEdge } from '@relaygate/device-agent/relay/relay-driver';
import type { InputSettings, Level, OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../../support/device/fake-board';
import { ON_OFF, portsOf } from '../../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../../support/device/memory-files';
import { VirtualClock } from '../../../../support/time/virtual-clock';
import type { ButtonMove } from './button-moves';

const LIGHT: InputSettings = { kind: 'button', numInput: 0, name: 'Light', output: 0, action: 'toggle' };
const OUTPUTS: OutputSettings[] = [ON_OFF];

export interface WireEdge {
  level: Level;
  atMs: number;
}

/** What a test may change on the way from the wire to the guard: deliberate faults. */
export interface Wiring {
  edges(edges: InputEdge[], nowMs: number): InputEdge[];
  /** What is pressed at a start or when the board is back comes as an edge, a while after that. */
  tellsStart: boolean;
}
export const HONEST: Wiring = { edges: (edges) => edges, tellsStart: false };
/** Of a wiring that tells the start. */
const START_TOLD_MS = 100;

export class ButtonWorld {
  readonly clock = new VirtualClock();
  readonly board = new FakeBoard(this.clock, OUTPUTS.length);
  /** As it really was. */
  readonly wire: WireEdge[] = [{ level: 'high', atMs: 0 }];
  /** When the guard began to look, and until when. */
  readonly watches: { fromMs: number; toMs: number }[] = [];
  /** When it was held up. */
  readonly stalls: { fromMs: number; toMs: number }[] = [];
  readonly #wiring: Wiring;
  #files = new MemoryFiles();
  #guard: Guard | null = null;
  #beganMs = 0;

  constructor(wiring: Wiring) {
    this.#wiring = wiring;
    this.board.inputLevel = () => this.#read();
  }

  async play(moves: readonly ButtonMove[]): Promise<void> {
    await this.#start();
    for (const move of moves) await this.#make(move);
    this.#endWatch();
    await this.#guard?.stop();
  }

  async #make(move: ButtonMove): Promise<void> {
    switch (move.move) {
      case 'wire':
        for (const forMs of move.forMs) {
          this.#turn();
          await this.clock.advance(forMs);
        }
        return;
      case 'pass':
        return this.clock.advance(move.ms);
      case 'stall':
        return this.#stall(move);
      case 'board':
        this.#endWatch();
        this.board.unplug();
        await this.clock.advance(move.awayMs);
        this.#beginWatch();
        this.board.plug();
        return this.clock.advance(0);
      case 'restart':
        this.#endWatch();
        await this.#guard?.stop();
        await this.clock.advance(move.awayMs);
        return this.#start();
      default:
        move satisfies never;
    }
  }

  /** All of it happens before the guard goes on; then its timers are due, and the edges wait for it. */
  async #stall({ forMs, restMs, edgesFirst }: Extract<ButtonMove, { move: 'stall' }>): Promise<void> {
    const fromMs = this.clock.nowMs();
    let atMs = fromMs;
    const edges: InputEdge[] = [];
    for (const ms of forMs) {
      atMs += ms;
      edges.push({ input: 0, ...this.#turned(atMs) });
    }
    this.clock.holdUp(atMs + restMs - fromMs);
    this.stalls.push({ fromMs, toMs: this.clock.nowMs() });
    if (!edgesFirst) await this.clock.advance(1);
    this.#tell(edges);
    await this.clock.advance(0);
  }

  #turn(): void {
    this.#tell([{ input: 0, ...this.#turned(this.clock.nowMs()) }]);
  }

  #turned(atMs: number): WireEdge {
    const edge: WireEdge = { level: this.#level === 'high' ? 'low' : 'high', atMs };
    this.wire.push(edge);
    return edge;
  }

  #tell(edges: InputEdge[]): void {
    this.board.listener?.edges?.(this.#wiring.edges(edges, this.clock.nowMs()));
  }

  #read(): Level {
    const isToldLater = this.#wiring.tellsStart && this.clock.nowMs() < this.#beganMs + START_TOLD_MS;
    return isToldLater ? 'high' : this.#level;
  }

  async #start(): Promise<void> {
    this.#files = new MemoryFiles();
    this.#beginWatch();
    const parts = { clock: this.clock, files: this.#files, board: this.board };
    this.#guard = await openGuard(OUTPUTS, { ...portsOf(parts), inputs: [LIGHT] });
    await this.#guard.lock([]);
  }

  #beginWatch(): void {
    this.#beganMs = this.clock.nowMs();
    this.watches.push({ fromMs: this.#beganMs, toMs: Number.POSITIVE_INFINITY });
    if (!this.#wiring.tellsStart) return;
    this.clock.after(START_TOLD_MS, () => {
      if (this.#level === 'low') this.#tell([{ input: 0, level: 'low', atMs: this.clock.nowMs() }]);
    });
  }

  #endWatch(): void {
    const last = this.watches.at(-1);
    if (last) last.toMs = Math.min(last.toMs, this.clock.nowMs());
  }

  get #level(): Level {
    return this.wire.at(-1)?.level ?? 'high';
  }
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '../../processes/memory-folder';
import { missingProgram } from '../../processes/missing-program';
import { ROOT } from '../../processes/program';
import { eventually } from '../../time/waiting';
import { readEdges } from '../device';
import type { Edge } from '../edge-log';
import { Pty } from './pty';

const HEADER = '/usr/include/modbus/modbus.h';
const LIBRARIES = ['-I/usr/include/modbus', '-lmodbus', '-lpthread'];

/** Every request of the driver but that for several coils, which has their count in its seventh byte; bytes may come in parts. */
const REQUEST_BYTES = 8;
const WRITE_COILS = 0x0f;
const WRITE_COILS_BYTES = 9;

/** What a Modbus bus needs; undefined: it is all here. */
export function missingForModbus(): string | undefined {
  const header = existsSync(HEADER) ? undefined : 'modbus.h is missing (Debian package libmodbus-dev)';
  return missingProgram('socat', 'socat') ?? missingProgram('cc', 'gcc') ?? header;
}

/** Compiles the board of the tests; the result is for `ModbusBus`. */
export function compileSlave(folder: string): string {
  const program = join(folder, 'modbus-slave');
  execFileSync('cc', ['-O1', '-o', program, join(ROOT, 'test/support/device/serial/modbus-slave.c'), ...LIBRARIES]);
  return program;
}

/** A relay board by libmodbus, in a process of its own. */
interface Slave {
  readonly pty: Pty;
  readonly process: ChildProcess;
  readonly log: string;
  /** The file of its inputs, and what stands there. */
  readonly inputsFile: string;
  readonly inputs: ('0' | '1')[];
}

/** An adapter and the boards on its wires. What goes over them can be spoilt. */
export class ModbusBus {
  readonly folder: string;
  /** What the boards hear of it; empty: nothing. */
  towardsBoards: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes;
  /** What reaches the adapter of a board's answer, and when. */
  towardsAdapter: (bytes: Uint8Array, send: (bytes: Uint8Array) => void) => void = (bytes, send) => send(bytes);
  readonly #slaves = new Map<number, Slave>();
  #adapter: Pty | null = null;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(program: string, boards: readonly { address: number; relays: number }[]): Promise<ModbusBus> {
    const bus = new ModbusBus(memoryFolder('rg-m-'));
    for (const { address, relays } of boards) await bus.#addBoard(program, address, relays);
    await bus.plug();
    return bus;
  }

  /** The path of the adapter. */
  get port(): string {
    return join(this.folder, 'port');
  }

  async plug(): Promise<void> {
    const adapter = await Pty.plug(this.port);
    this.#adapter = adapter;
    let soFar: number[] = [];
    adapter.heard = (bytes) => {
      soFar.push(...bytes);
      const dataBytes = soFar[6] ?? 0;
      const sizeBytes = soFar[1] === WRITE_COILS ? WRITE_COILS_BYTES + dataBytes : REQUEST_BYTES;
      if (soFar.length < sizeBytes) return;
      const heard = this.towardsBoards(Uint8Array.from(soFar));
      soFar = [];
      // Not to all: libmodbus takes what follows a request to another board for that one's answer, also where none comes.
      if (heard.length > 0) this.#slaves.get(heard[0] ?? 0)?.pty.say(heard);
    };
  }

  /** The boards stay as they are. */
  async unplug(): Promise<void> {
    const adapter = this.#adapter;
    this.#adapter = null;
    await adapter?.unplug();
  }

  /** The board hears nothing and times nothing, until `resume`. */
  hang(address: number): void {
    this.#slaves.get(address)?.process.kill('SIGSTOP');
  }

  resume(address: number): void {
    this.#slaves.get(address)?.process.kill('SIGCONT');
  }

  /** All its relays fall, and it is back at once; it hears and answers as before. */
  async loseSupply(address: number): Promise<void> {
    const slave = this.#slaves.get(address);
    slave?.process.kill('SIGUSR1');
    await eventually(() => {
      const edges = this.edges(address);
      return edges.every(({ output }) => edges.findLast((edge) => edge.output === output)?.level === 0);
    });
  }

  edges(address: number): Edge[] {
    return readEdges(this.#slaves.get(address)?.log ?? '');
  }

  /** The board shows it with its next answer. */
  setInput(address: number, input: number, isHigh: boolean): void {
    const { inputs, inputsFile } = this.#slaves.get(address) ?? { inputs: [], inputsFile: '' };
    inputs[input] = isHigh ? '1' : '0';
    writeFileSync(`${inputsFile}.new`, Array.from(inputs, (text = '0') => text).join(''));
    renameSync(`${inputsFile}.new`, inputsFile);
  }

  isOn(address: number, relay: number): boolean {
    return this.edges(address).findLast(({ output }) => output === relay)?.level === 1;
  }

  /** Noise on the wires. */
  say(bytes: Uint8Array): void {
    this.#adapter?.say(bytes);
  }

  async end(): Promise<void> {
    await this.unplug();
    for (const { process, pty } of this.#slaves.values()) {
      process.kill('SIGKILL');
      await pty.unplug();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #addBoard(program: string, address: number, relays: number): Promise<void> {
    const pty = await Pty.plug(join(this.folder, `board-${address}`));
    const log = join(this.folder, `edges-${address}.jsonl`);
    const inputsFile = join(this.folder, `inputs-${address}`);
    const process = spawn(program, [pty.path, String(address), String(relays), log, inputsFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let isReady = false;
    process.stdout?.once('data', () => {
      isReady = true;
    });
    await eventually(() => isReady);
    pty.heard = (bytes) => this.towardsAdapter(bytes, (answer) => this.#adapter?.say(answer));
    this.#slaves.set(address, { pty, process, log, inputsFile, inputs: [] });
  }
}

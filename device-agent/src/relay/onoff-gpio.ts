import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cancel } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import { boardRefused } from '../runtime/board-refused';
import { causeOf } from '../runtime/problem';
import { whileReadable } from './readable-file';
import type { SysfsGpio, SysfsInput } from './sysfs-gpio';

type Onoff = typeof import('onoff');

/** Fixed in onoff as well. */
const ROOT = '/sys/class/gpio';
/** Whoever may write this file may drive lines. */
export const SYSFS_EXPORT = `${ROOT}/export`;
const CHIP = /^gpiochip\d+$/;
/** Kept for ever: each has an epoll object, whose garbage collection ends the process (epoll 4 on Node 20). */
const kept: object[] = [];
/** udev gives new files to the group gpio within some 100 ms. */
const ACCESS_MS = 2_000;
const ACCESS_POLL_MS = 10;

/**
 * The machine's own /sys/class/gpio, lines driven through onoff. onoff is loaded here and not before. Throws
 * `board-unusable` when it is not there: it is compiled at its installation.
 */
export function onoffGpio(): SysfsGpio {
  const { Gpio } = loadOnoff();
  const made = new Map<number, InstanceType<typeof Gpio>>();
  const newLine = (...options: ConstructorParameters<Onoff['Gpio']>): InstanceType<Onoff['Gpio']> => {
    const line = new Gpio(...options);
    kept.push(line);
    return line;
  };
  return {
    chips: () =>
      readdirSync(ROOT)
        .filter((name) => CHIP.test(name))
        .map((name) => ({
          label: textOf(`${ROOT}/${name}/label`),
          base: Number(textOf(`${ROOT}/${name}/base`)),
          lines: Number(textOf(`${ROOT}/${name}/ngpio`)),
        })),

    async export(number) {
      const folder = `${ROOT}/gpio${number}`;
      const wasExported = existsSync(folder);
      // onoff would export it too, but then also write its direction: an edge where only opening was asked for.
      if (!wasExported) writeFileSync(SYSFS_EXPORT, String(number));
      for (const file of ['direction', 'value', 'active_low']) await waitUntilWritable(`${folder}/${file}`);
      if (textOf(`${folder}/active_low`) !== '0') writeFileSync(`${folder}/active_low`, '0');
      return wasExported;
    },

    unexport: (number) => writeFileSync(`${ROOT}/unexport`, String(number)),

    output(number, level) {
      // 'high' or 'low', never 'out', which drives the line low first. An output that is driven keeps its direction, so
      // that its level changes once, by the write below. onoff's activeLow stays unset: levels are physical here.
      const line = made.get(number) ?? newLine(number, level, undefined, { reconfigureDirection: false });
      // Kept for the next try, because onoff closes its files only when it unexports.
      made.set(number, line);
      // onoff swallows a refusal to set the direction of a line that was exported before.
      if (line.direction() !== 'out') line.setDirection(level);
      line.writeSync(bitOf(level));
      return {
        write: (next) => line.writeSync(bitOf(next)),
        read: () => levelOf(line.readSync()),
        unexport() {
          made.delete(number);
          line.unexport();
        },
      };
    },

    /** Not through onoff: if the input's chip goes, onoff's watch throws, and nobody can catch that. */
    async input(number, changed) {
      const folder = `${ROOT}/gpio${number}`;
      const edge = `${folder}/edge`;
      if (changed && !existsSync(edge)) throw Object.assign(new Error('ENODEV: no interrupt'), { code: 'ENODEV' });
      if (changed) await waitUntilWritable(edge);
      if (textOf(`${folder}/direction`) !== 'in') writeFileSync(`${folder}/direction`, 'in');
      if (changed) writeFileSync(edge, 'both');
      return new ValueFile(`${folder}/value`, changed);
    },
  };
}

/** The level at an input. */
class ValueFile implements SysfsInput {
  readonly #fd: number;
  readonly #bytes = Buffer.alloc(1);
  #cancel: Cancel = () => {};

  constructor(path: string, changed: ((level: Level | null) => void) | null) {
    this.#fd = openSync(path, 'r');
    try {
      // Changes until now are no edges.
      this.read();
      if (changed) this.#watch(changed);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  read(): Level {
    readSync(this.#fd, this.#bytes, 0, 1, 0);
    return this.#bytes.toString() === '1' ? 'high' : 'low';
  }

  end(): void {
    try {
      this.#cancel();
    } finally {
      closeSync(this.#fd);
    }
  }

  #watch(changed: (level: Level | null) => void): void {
    const cancel = whileReadable(
      this.#fd,
      () => {
        const level = this.#readOrNull();
        // Else this would be said at each turn of the event loop.
        if (level === null) this.#cancel();
        changed(level);
      },
      'EPOLLPRI',
    );
    this.#cancel = () => {
      this.#cancel = () => {};
      cancel();
    };
  }

  #readOrNull(): Level | null {
    try {
      return this.read();
    } catch {
      return null;
    }
  }
}

async function waitUntilWritable(file: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += ACCESS_POLL_MS) {
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
      return;
    } catch (error) {
      if (waitedMs >= ACCESS_MS) throw error;
    }
    await delay(ACCESS_POLL_MS);
  }
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8').trim();
}

function levelOf(bit: 0 | 1): Level {
  return bit === 1 ? 'high' : 'low';
}

function bitOf(level: Level): 0 | 1 {
  return level === 'high' ? 1 : 0;
}

function loadOnoff(): Onoff {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
    return require('onoff');
  } catch (error) {
    throw boardRefused('board-unusable', 'onoff-missing', { problem: causeOf(error) }, { cause: error });
  }
}

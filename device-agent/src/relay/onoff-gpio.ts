import { accessSync, constants, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Level } from '@relaygate/shared/device';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { problemOf } from '../runtime/problem';
import type { SysfsGpio } from './sysfs-gpio';

type Onoff = typeof import('onoff');

/** Fixed in onoff as well. */
const ROOT = '/sys/class/gpio';
/** Who may write it may drive lines. */
export const SYSFS_EXPORT = `${ROOT}/export`;
const CHIP = /^gpiochip\d+$/;
/** For ever: each has an epoll object, whose garbage collection ends the process (epoll 4 on Node 20). */
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
      // onoff would export it as well, but then also write its direction: an edge where only opening was asked for.
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
      // Kept for the next try, for onoff closes its files only when it unexports.
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

    async input(number, changed) {
      const edge = `${ROOT}/gpio${number}/edge`;
      if (changed && !existsSync(edge)) throw Object.assign(new Error('ENODEV: no interrupt'), { code: 'ENODEV' });
      if (changed) await waitUntilWritable(edge);
      const line = changed ? newLine(number, 'in', 'both') : newLine(number, 'in');
      // onoff swallows the refusals of a line that was exported before.
      if (line.direction() !== 'in') line.setDirection('in');
      if (changed && line.edge() !== 'both') line.setEdge('both');
      if (changed) line.watch((_error, value) => changed(levelOf(value)));
      return {
        read: () => levelOf(line.readSync()),
        end: () => line.unwatchAll(),
      };
    },
  };
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
    throw new RelaygateError(
      'board-unusable',
      `board.kind "gpio-sysfs" needs the package onoff, which does not load (${problemOf(error)}): install a compiler ` +
        'and run "npm rebuild epoll", or use board.kind "gpio".',
      { cause: error },
    );
  }
}

/** A test line of /sys/class/gpio, to see what becomes of it when its process dies. */
import { existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Level } from '@relaygate/shared/device';
import type { TestLine } from '../doctor/check-context';
import { boardRefused } from '../runtime/board-refused';
import { runAndKill } from './killed-process';

const ROOT = '/sys/class/gpio';

/** Throws `board-busy` when somebody has exported it, and the system's error when nobody can. */
export function sysfsLine(label: string, offset: number): TestLine {
  const number = baseOf(label) + offset;
  const folder = `${ROOT}/gpio${number}`;
  if (existsSync(folder)) throw boardRefused('board-busy', 'line-exported', { path: folder, line: offset });
  writeFileSync(`${ROOT}/export`, String(number));
  return {
    level: () => (readFileSync(`${folder}/value`, 'utf8').trim() === '1' ? 'high' : 'low'),
    holdAndKill: (level) => runAndKill(__filename, 'holdExportedLine', [folder, level]),
    giveBack() {
      writeFileSync(`${folder}/direction`, 'in');
      writeFileSync(`${ROOT}/unexport`, String(number));
    },
  };
}

/**
 * Holds the line until this process ends, as a guard does: the direction brings the level with it, and the value stays
 * open.
 */
export function holdExportedLine(folder: string, level: Level): void {
  writeFileSync(`${folder}/direction`, level);
  openSync(`${folder}/value`, 'r+');
}

function baseOf(label: string): number {
  const chips = readdirSync(ROOT).filter((name) => name.startsWith('gpiochip'));
  const chip = chips.find((name) => readFileSync(`${ROOT}/${name}/label`, 'utf8').trim() === label);
  if (chip === undefined) throw boardRefused('board-unusable', 'no-sysfs-chip', { path: ROOT, label });
  return Number(readFileSync(`${ROOT}/${chip}/base`, 'utf8'));
}

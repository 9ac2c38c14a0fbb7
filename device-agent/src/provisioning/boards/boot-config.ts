/** What the firmware does to the header's lines before the kernel starts, as a file that config.txt includes says (I5). */
import type { Level } from '@relaygate/shared/device';

/** Beside config.txt, which includes it on our image and where the device's package is installed. */
export const BOARD_CONFIG_FILE = 'relaygate-board.txt';

/** What the firmware reads first, and in which it finds whatever else it reads. */
export const FIRMWARE_CONFIG_FILE = 'config.txt';
const INCLUDE = new RegExp(`^\\s*include\\s+${BOARD_CONFIG_FILE}\\s*$`, 'm');

/** Whether the firmware reads BOARD_CONFIG_FILE. `text`: that of FIRMWARE_CONFIG_FILE. */
export function includesBoardConfig(text: string): boolean {
  return INCLUDE.test(text);
}

/** A line that the firmware drives, or pulls, to the level that energises its relay. */
export interface FirmwareClosing {
  bcm: number;
  level: Level;
  /** The line of the file that decides. */
  configLine: string;
}

interface Wiring {
  activeLevel: Level;
  relays: readonly { bcm: number }[];
}

interface LineAtBoot {
  isDriven: boolean;
  driven: Level;
  pulled: Level | null;
  configLine: string;
}

const GPIO = /^gpio=([\d,\s-]+)=(.+)$/;
/** What an option of an order changes. */
const OPTIONS: ReadonlyMap<string, Partial<LineAtBoot>> = new Map<string, Partial<LineAtBoot>>([
  ['op', { isDriven: true }],
  ['dh', { driven: 'high' }],
  ['dl', { driven: 'low' }],
  ['pu', { pulled: 'high' }],
  ['pd', { pulled: 'low' }],
  ['pn', { pulled: null }],
  ['np', { pulled: null }],
]);
const UNTOUCHED = { isDriven: false, driven: 'low', pulled: null } as const;

/** In the order of the outputs. `text`: the file's text; null: nobody knows it. */
export function firmwareClosings(text: string | null, { activeLevel, relays }: Wiring): FirmwareClosing[] {
  const lines = linesIn(text ?? '');
  return relays.flatMap(({ bcm }) => {
    const line = lines.get(bcm);
    const level = line?.isDriven ? line.driven : line?.pulled;
    return line && level === activeLevel ? [{ bcm, level, configLine: line.configLine }] : [];
  });
}

/**
 * By BCM number. A later order changes the members that it names. An order for another model counts too, because the model
 * is not known here.
 */
function linesIn(text: string): Map<number, LineAtBoot> {
  const lines = new Map<number, LineAtBoot>();
  for (const configLine of text.split('\n').map((line) => line.trim())) {
    const [, numbers = '', options = ''] = GPIO.exec(configLine) ?? [];
    for (const bcm of numbersIn(numbers)) {
      const before = lines.get(bcm) ?? { ...UNTOUCHED, configLine };
      const after = options.split(',').reduce(withOption, { ...before, configLine });
      lines.set(bcm, after);
    }
  }
  return lines;
}

/** "4-6,9". */
function numbersIn(text: string): number[] {
  return text.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.trim() === '' ? [] : range.split('-').map(Number);
    return Array.from({ length: Math.min(Math.max(last - first + 1, 0) || 0, 64) }, (_, n) => first + n);
  });
}

function withOption(line: LineAtBoot, option: string): LineAtBoot {
  // Any other option makes it an input, or gives it to a part of the chip.
  return { ...line, ...(OPTIONS.get(option.trim().toLowerCase()) ?? { isDriven: false }) };
}

/** The lines that must go from the file. */
export function closingLinesOf(closings: readonly FirmwareClosing[]): string {
  return [...new Set(closings.map(({ configLine }) => configLine))].join(', ');
}

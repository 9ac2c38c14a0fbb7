/** The board's chip and lines, and what its relays do at power-on. */

import { type BoardSettings, type DeviceSettings, isOnHeader } from '@relaygate/shared/device';
import { MAX_HEADER_BCM } from '@relaygate/shared/limits';
import type { FindingValues } from '../locales/findings';
import { BOARD_CONFIG_FILE, FIRMWARE_CONFIG_FILE, includesBoardConfig } from '../provisioning/boards/boot-config';
import { bootLevelsOf, closingsOfDevice, curesOf, RESISTOR } from '../provisioning/boards/boot-level';
import { chipNamed } from '../relay/gpio-problem';
import { chipsOf, withChip } from '../relay/kernel-chips';
import { holderOf } from '../relay/line-holder';
import { lateOff } from '../relay/off-time';
import { DEFAULT_BOOT_DIR } from '../runtime/folders';
import { causeOf } from '../runtime/problem';
import { type CheckContext, isRaspberryPi, withSettings } from './check-context';
import { type CheckResult, fail, isNotAllowed, ok, warn } from './finding';

type SerialBoard = Extract<BoardSettings, { port: string }>;

const CONSUMER = 'relaygate';

export const boardLines = withSettings((context, { board }) => {
  try {
    return checkLines(context, board);
  } catch (error) {
    // The guard may have what this user may not see.
    if (isNotAllowed(error)) throw error;
    return fail('board-unusable', { problem: causeOf(error) });
  }
});

function checkLines({ machine, status }: CheckContext, board: BoardSettings): CheckResult {
  if (board.kind === 'simulated') return ok('board-simulated', {});
  if (board.kind === 'gpio-sysfs') return warn('board-on-sysfs', { lines: board.lines });
  if ('port' in board) return serialPort(board, machine);
  const kernel = machine.gpioKernel();
  const offsets = [...board.lines, ...(board.inputs ?? []).map(({ line }) => line)];
  const chip = chipNamed(chipsOf(kernel), board.chip, offsets);
  const held = withChip(kernel, chip.path, (fd) => offsets.map((offset) => holderOf(kernel, fd, offset)));
  const { label, path } = chip;
  const count = offsets.length;
  const others = offsets.flatMap((offset, n) => {
    const holder = held[n] ?? null;
    return holder === null || holder === CONSUMER ? [] : [{ line: offset, by: holder }];
  });
  if (others.length > 0) return fail('lines-of-others', { label, path, holders: others });
  const own = held.filter((holder) => holder === CONSUMER).length;
  if (own === count) return ok('lines-held', { label, path, count });
  if (own === 0 && status?.guard.isReachable !== true) return ok('lines-free', { label, path, count });
  return warn('lines-partly-held', { label, path, own, count });
}

function serialPort(board: SerialBoard, machine: CheckContext['machine']): CheckResult {
  const { port } = board;
  if (machine.rightsOf(port) === null) return fail('no-port', { port });
  const late = lateOff(board);
  if (machine.isUsable(port)) return late === null ? ok('port-there', { port }) : warn('off-late', late);
  // This shows this user's rights, and not the guard's.
  return warn('port-closed', { port });
}

export const bootLevels = withSettings((context, settings) => {
  const { board } = settings;
  if (board.kind === 'simulated') return ok('power-on-simulated', {});
  if ('port' in board) return ok('power-on-serial', {});
  if (!isOnHeader(board) || !isRaspberryPi(context) || board.lines.some((line) => line > MAX_HEADER_BCM))
    return warn('power-on-unknown', {});
  const wirings = wiringsOf(settings, board.lines);
  const risky = wirings.filter((wiring) => bootLevelsOf(wiring).some(({ isRisky }) => isRisky));
  try {
    const leftOut = isLeftOut(context);
    const closed = leftOut ? null : closedByFirmware(context, settings);
    if (closed) return closed;
    if (leftOut && risky.length > 0) return warn('power-on-left-out', { lines: linesOf(risky) });
  } catch (error) {
    // A known risk goes before what this user may not see.
    if (risky.length === 0) throw error;
  }
  if (risky.length === 0) return ok('power-on-well', {});
  return warn('power-on-risky', {
    lines: linesOf(risky),
    cures: risky.flatMap((wiring) =>
      curesOf(wiring).map((cure) => ({ ...cure, resistor: cure.resistor === null ? null : holdOf(wiring) })),
    ),
  });
});

function closedByFirmware({ machine }: CheckContext, settings: DeviceSettings): CheckResult | null {
  const file = `${DEFAULT_BOOT_DIR}/${BOARD_CONFIG_FILE}`;
  const closings = closingsOfDevice(machine.textOf(file), settings);
  return closings.length === 0 ? null : warn('power-on-closed', { file, closings });
}

/** The firmware reads its own file, and not the one that may hold relays open. */
function isLeftOut({ machine }: CheckContext): boolean {
  const config = machine.textOf(`${DEFAULT_BOOT_DIR}/${FIRMWARE_CONFIG_FILE}`);
  return config !== null && !includesBoardConfig(config);
}

function linesOf(wirings: ReturnType<typeof wiringsOf>): number[] {
  return wirings.flatMap(({ relays }) => relays.map(({ bcm }) => bcm));
}

function wiringsOf({ outputs }: DeviceSettings, lines: readonly number[]) {
  return outputs.map(({ name, activeLevel }, n) => ({ activeLevel, relays: [{ label: name, bcm: lines[n] ?? 0 }] }));
}

/** The resistor of one relay. */
function holdOf(
  wiring: ReturnType<typeof wiringsOf>[number],
): FindingValues['power-on-risky']['cures'][number]['resistor'] {
  const [level] = bootLevelsOf(wiring);
  const rail = wiring.activeLevel === 'low' ? '3.3 V' : 'GND';
  return level ? { ohms: RESISTOR, bcm: level.bcm, pin: level.pin, rail } : null;
}

/** The board's chip and lines, and what its relays do at power-on. */
import type { DeviceSettings } from '@relaygate/shared';
import type { Finding } from '../../agent/local-messages/doctor';
import { bootLevelsOf, curesOf } from '../../boards/boot-level';
import { codeOf, problemOf } from '../../program/problem';
import { chipNamed } from '../../relay/gpio-chips';
import type { GpioKernel } from '../../relay/gpio-kernel';
import { IOCTL, newLineInfo, readHolder } from '../../relay/gpio-uapi';
import { chipsOf, withChip } from './chips';
import { fail, ok, warn } from './finding';
import { type Check, isRaspberryPi, type Look } from './look';

const CONSUMER = 'relaygate';
const LAST_HEADER_BCM = 27;
const NOT_ALLOWED: readonly string[] = ['EACCES', 'EPERM'];

export const boardLines: Check = (look) => {
  try {
    return lookAtLines(look);
  } catch (error) {
    // What this user may not look at the guard may have all the same.
    if (NOT_ALLOWED.includes(codeOf(error))) throw error;
    return fail('board', problemOf(error), 'the guard cannot hold a relay', 'as the sentence says');
  }
};

function lookAtLines(look: Look): Finding {
  const name = 'board';
  const { settings, machine } = look;
  if (!settings) return warn(name, 'not looked at: there are no settings', '', 'mend settings.json');
  const { board } = settings;
  if (board.kind === 'simulated') return ok(name, 'simulated, in files: no relay moves');
  if (board.kind === 'gpio-sysfs')
    return warn(
      name,
      `lines ${board.lines.join(', ')} through /sys: nobody can tell who holds them, and no pull is set`,
      'once the guard has ended, a line that becomes an input goes where its own pull takes it',
      'a resistor towards "off" at each line; or a kernel from 5.10 on, and "relayctl board use" without --sysfs',
    );
  if (board.kind === 'modbus' || board.kind === 'lcus') return serialPort(name, board.port, machine);
  const kernel = machine.gpioKernel();
  const offsets = [...board.lines, ...(board.inputs ?? []).map(({ line }) => line)];
  const chip = chipNamed(chipsOf(kernel), board.chip, offsets);
  const held = withChip(kernel, chip.path, (fd) => offsets.map((offset) => holderOf(kernel, fd, offset)));
  const where = `the chip "${chip.label}" (${chip.path})`;
  const others = offsets.flatMap((offset, n) => {
    const holder = held[n] ?? null;
    return holder === null || holder === CONSUMER ? [] : [`line ${offset} by "${holder}"`];
  });
  if (others.length > 0)
    return fail(
      name,
      `${where}: ${others.join(', ')}`,
      'the guard cannot have them',
      'stop that program, or choose other lines',
    );
  const own = held.filter((holder) => holder === CONSUMER).length;
  if (own === offsets.length) return ok(name, `${where}: all ${own} lines are held by relaygate`);
  if (own === 0 && look.status?.guard.isReachable !== true)
    return ok(name, `${where}: all ${offsets.length} lines are free`);
  return warn(
    name,
    `${where}: ${own} of ${offsets.length} lines are held by relaygate`,
    'the guard drives another board than settings.json names',
    'restart relaygate-guard and relaygate-agent',
  );
}

function serialPort(name: string, port: string, machine: Look['machine']): Finding {
  if (machine.rightsOf(port) === null)
    return fail(
      name,
      `there is no ${port}`,
      'every command is refused',
      'plug the adapter in, or name it as "relayctl board ports" shows it',
    );
  if (machine.isUsable(port)) return ok(name, port);
  // It is this user's right that was seen, not the guard's.
  return warn(name, `${port} is not for this user`, '', 'look again with sudo; the guard must be in the group dialout');
}

export const bootLevels: Check = (look) => {
  const name = 'power-on';
  const { settings } = look;
  if (!settings) return warn(name, 'not looked at: there are no settings', '', 'mend settings.json');
  const { board } = settings;
  if (board.kind === 'simulated') return ok(name, 'the board is simulated');
  if (board.kind === 'modbus' || board.kind === 'lcus')
    return ok(name, 'not known here: a board on a serial port has its own way with its relays');
  if (board.chip !== undefined || !isRaspberryPi(look) || board.lines.some((line) => line > LAST_HEADER_BCM))
    return ok(name, "not a Raspberry Pi's header: what its lines do before the guard runs is not known here");
  const risky = wiringsOf(settings, board.lines).filter((wiring) =>
    bootLevelsOf(wiring).some(({ isRisky }) => isRisky),
  );
  if (risky.length === 0) return ok(name, 'every relay stays open until the guard drives it');
  const cures = risky.flatMap((wiring) => curesOf(wiring));
  return warn(
    name,
    `BCM ${risky.map(({ relays }) => relays[0]?.bcm).join(', ')} is pulled to the level that closes its relay`,
    'these relays may close at power-on, before the guard runs',
    `${cures.map(({ resistor }) => resistor ?? 'use another line').join('; ')}; in config.txt: ${cures.map(({ configLine }) => configLine).join(', ')}`,
  );
};

function wiringsOf({ outputs }: DeviceSettings, lines: readonly number[]) {
  return outputs.map(({ name, activeLevel }, n) => ({ activeLevel, relays: [{ label: name, bcm: lines[n] ?? 0 }] }));
}

function holderOf(kernel: GpioKernel, fd: number, offset: number): string | null {
  const info = newLineInfo(offset);
  kernel.ioctl(fd, IOCTL.lineInfo, info);
  return readHolder(info);
}

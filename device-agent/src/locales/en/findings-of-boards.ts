import type { Level } from '@relaygate/shared/device';
import { closingLinesOf, type FirmwareClosing } from '../../provisioning/boards/boot-config';
import type { LateOff } from '../../relay/off-time';
import { AS_ROOT } from './as-root';

const NO_RELAY = 'the guard cannot hold a relay';
const CHIP = 'the chip "{label}" ({path})';

type Chip = { label: string; path: string };
export interface PowerOnCure {
  /** null: no resistor can hold it, another line must be used. */
  resistor: { ohms: string; bcm: number; pin: number; rail: string } | null;
  /** null: none drives it. */
  configLine: string | null;
}

export const OF_BOARDS = {
  'kernel-well': { found: 'Linux {release}' },
  'kernel-old': ({ release, least, isNeeded }: { release: string; least: string; isNeeded: boolean }) => ({
    found: `Linux ${release}`,
    means: `the GPIO character device needs Linux ${least} or newer`,
    cure: isNeeded
      ? 'use "relayctl board use NAME --sysfs", or a newer kernel'
      : 'use "relayctl board use NAME --sysfs" for GPIO',
  }),
  'gpio-not-needed': ({ kind }: { kind: 'simulated' | 'serial' }) => ({
    found: `not needed: ${kind === 'simulated' ? 'the board is simulated' : 'the relays are on a serial port'}`,
  }),
  'gpio-chips': { found: '{paths}' },
  'no-gpio-chip': {
    found: 'there is no /dev/gpiochip*',
    means: NO_RELAY,
    cure: 'load the GPIO driver, or use --sysfs',
  },
  'gpio-chips-closed': {
    found: 'not seen from here: {paths} is not for this user',
    means: `if the guard runs as this user, ${NO_RELAY}`,
    cure: `${AS_ROOT}; the guard must be in the group gpio`,
  },
  sysfs: { found: '{folder}' },
  'no-sysfs': {
    found: 'there is no {folder}',
    means: NO_RELAY,
    cure: 'use the board without --sysfs',
  },
  'sysfs-closed': { found: 'not seen from here: {file} is not for this user', cure: AS_ROOT },
  'board-unusable': { found: '{problem}', means: NO_RELAY, cure: 'as the sentence says' },
  'board-simulated': { found: 'simulated, in files: no relay moves' },
  'board-on-sysfs': {
    found: 'lines {lines} through /sys: nobody can tell who holds them, and no pull is set',
    means: 'once the guard has ended, a line that becomes an input goes where its own pull takes it',
    cure: 'a resistor towards "off" at each line; or a kernel from 5.10 on, and "relayctl board use" without --sysfs',
  },
  'lines-of-others': ({ label, path, holders }: Chip & { holders: readonly { line: number; by: string }[] }) => ({
    found: `the chip "${label}" (${path}): ${holders.map(({ line, by }) => `line ${line} by "${by || 'the kernel'}"`).join(', ')}`,
    means: 'the guard cannot have them',
    cure: 'stop that program, or choose other lines',
  }),
  'lines-held': { found: `${CHIP}: all {count} lines are held by relaygate` },
  'lines-free': { found: `${CHIP}: all {count} lines are free` },
  'lines-partly-held': {
    found: `${CHIP}: {own} of {count} lines are held by relaygate`,
    means: 'the guard drives another board than settings.json names',
    cure: 'restart relaygate-guard and relaygate-agent',
  },
  'no-port': {
    found: 'there is no {port}',
    means: 'every command is refused',
    cure: 'plug the adapter in, or name it as "relayctl board ports" shows it',
  },
  'port-closed': {
    found: 'not seen from here: {port} is not for this user',
    cure: `${AS_ROOT}; the guard must be in the group dialout`,
  },
  'port-there': { found: '{port}' },
  'off-late': ({ port, boards, baud, withinMs }: LateOff) => ({
    found: `${port}: ${boards} boards at ${baud} baud`,
    means: `if the guard is killed its relays are off within ${withinMs / 1_000} s, not 1 s`,
    cure: 'put fewer boards on a port, or set boards and settings.json to a higher baud rate',
  }),
  'power-on-simulated': { found: 'the board is simulated' },
  'power-on-serial': {
    found: 'not known here: a board on a serial port has its own way with its relays',
  },
  'power-on-unknown': {
    found: "not a Raspberry Pi's header: what its lines do before the guard runs is not known here",
    means: 'relays may close at power-on',
    cure: 'switch the supply off and on, and see that no relay closes; hold each that does open by a resistor',
  },
  'power-on-well': { found: 'every relay stays open until the guard drives it' },
  'power-on-closed': ({ file, closings }: { file: string; closings: readonly FirmwareClosing[] }) => ({
    found: `${file} has the firmware give ${closings.map(({ bcm, level }) => `BCM ${bcm} a ${level} level`).join(', ')}`,
    means: 'these relays close at each power-on until the guard runs: the file is of another board',
    cure: `take ${closingLinesOf(closings)} out of that file; "relayctl board show" prints what belongs there`,
  }),
  'power-on-left-out': {
    found: 'config.txt does not include relaygate-board.txt, so its lines hold no relay open',
    means: 'BCM {lines} may close at power-on, before the guard runs',
    cure:
      'add "[all]" and "include relaygate-board.txt", a line each, to the end of config.txt; on Debian to ' +
      '/etc/default/raspi-firmware-custom too, because each new kernel makes config.txt of that',
  },
  'power-on-risky': ({ lines, cures }: { lines: readonly number[]; cures: readonly PowerOnCure[] }) => ({
    found: `BCM ${lines.join(', ')} may have the level that closes its relay`,
    means: 'these relays may close at power-on, before the guard runs',
    cure: `${cures
      .map(({ resistor }) =>
        resistor
          ? `${resistor.ohms} from BCM ${resistor.bcm} (pin ${resistor.pin}) to ${resistor.rail}`
          : 'use another line',
      )
      .join('; ')}${inConfig(cures)}`,
  }),
  'death-untested': {
    found: 'not tested',
    means: 'whether a relay stays closed until the next guard, or opens, when the guard is killed is not known',
    cure: 'run "relayctl doctor --test-line N" with a spare line N that nothing hangs on',
  },
  'death-no-lines': {
    found: 'not tested: settings.json names no board on GPIO lines',
    cure: 'choose a board first',
  },
  'death-own-line': {
    found: "line {line} is one of the board's",
    means: 'it was not touched',
    cure: 'give a line that nothing hangs on',
  },
  'death-tested': ({
    line,
    way,
    before,
    driven,
    after,
  }: {
    line: number;
    way: string;
    before: Level;
    driven: Level;
    after: Level;
  }) => ({
    found: `line ${line} was ${before}, driven ${driven} by a process that was killed, and is ${after} (${way})`,
    means:
      after === driven
        ? 'lines stay driven: a relay stays as it is until the next guard switches it off'
        : 'lines are let go: relays go to their resting state with the guard',
  }),
} as const;

function inConfig(cures: readonly PowerOnCure[]): string {
  const lines = cures.flatMap(({ configLine }) => configLine ?? []);
  return lines.length === 0 ? '' : `; in config.txt: ${lines.join(', ')}`;
}

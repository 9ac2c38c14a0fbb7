import { userInfo } from 'node:os';
import type { BoardProfile } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system-clock';
import { terminal } from '../system/terminal';
import { unixDial } from '../system/unix-dial';
import type { Examine } from './doctor-commands';
import { relayctl } from './relayctl';
import type { SerialPortFound } from './serial-ports';

export async function main(argv: string[]): Promise<void> {
  process.exitCode = await relayctl(argv, {
    print: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    dial: unixDial,
    clock: systemClock,
    terminal,
    examine,
    dataDir: process.env.RELAYGATE_DEVICE_DATA_DIR,
    userName: nameOfUser(),
    boards: profilesOf,
    serialPorts: portsOf,
    runDir: process.env.RELAYGATE_DEVICE_RUN_DIR,
  });
}

/** Loaded where it is needed only: relayctl starts fast. */
function profilesOf(folder: string | undefined): BoardProfile[] {
  const { readBoardProfiles }: typeof import('./board-profiles') = require('./board-profiles');
  return readBoardProfiles(folder);
}

function portsOf(profiles: readonly BoardProfile[]): SerialPortFound[] {
  const { serialPorts }: typeof import('./serial-ports') = require('./serial-ports');
  return serialPorts(profiles);
}

const examine: Examine = (options) => {
  const { doctor }: typeof import('./doctor/compose') = require('./doctor/compose');
  return doctor(options);
};

/** A user id without a name, in a container for one, is its own name. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

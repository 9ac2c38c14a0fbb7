import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Cancel } from '@relaygate/shared';
import type { BoardProfile } from '@relaygate/shared/device';
import { runPrinting } from '@relaygate/shared/failed-output';
import { plainText } from '@relaygate/shared/plain-text';
import { systemClock } from '@relaygate/shared/system-clock';
import { terminal } from '../platform/terminal';
import { unixDial } from '../platform/unix-dial';
import { BOARD_CONFIG_FILE } from '../provisioning/boards/boot-config';
import { DEFAULT_BOOT_DIR } from '../runtime/folders';
import type { CommandFamily } from './command-family';
import type { Examine } from './doctor-commands';
import { EXIT } from './exit-codes';
import { complaint, type RelayctlDeps, relayctl } from './relayctl';
import type { SerialPortFound } from './serial-ports';

/** Loaded where they are needed only: relayctl starts fast. In the order of the help. */
const FAMILIES: readonly CommandFamily[] = [
  {
    names: ['output'],
    load() {
      const { addOutputCommand }: typeof import('./output-commands') = require('./output-commands');
      return addOutputCommand;
    },
  },
  {
    names: ['identity'],
    load() {
      const { addIdentityCommand }: typeof import('./identity-commands') = require('./identity-commands');
      return addIdentityCommand;
    },
  },
  {
    names: ['lock', 'unlock'],
    load() {
      const { addLockCommands }: typeof import('./lock-commands') = require('./lock-commands');
      return addLockCommands;
    },
  },
  {
    names: ['log'],
    load() {
      const { addLogCommands }: typeof import('./log-commands') = require('./log-commands');
      return addLogCommands;
    },
  },
  {
    names: ['board'],
    load() {
      const { addBoardCommands }: typeof import('./board-commands') = require('./board-commands');
      return addBoardCommands;
    },
  },
  {
    names: ['prove'],
    load() {
      const { addProveCommand }: typeof import('./prove-commands') = require('./prove-commands');
      return addProveCommand;
    },
  },
  {
    names: ['factory-reset'],
    load() {
      const { addResetCommand }: typeof import('./reset-commands') = require('./reset-commands');
      return addResetCommand;
    },
  },
  {
    names: ['doctor'],
    load() {
      const { addDoctorCommand }: typeof import('./doctor-commands') = require('./doctor-commands');
      return addDoctorCommand;
    },
  },
  {
    names: ['web'],
    load() {
      const { addWebCommands }: typeof import('./web-commands') = require('./web-commands');
      return addWebCommands;
    },
  },
  {
    names: ['history'],
    load() {
      const { addHistoryCommands }: typeof import('./history-commands') = require('./history-commands');
      return addHistoryCommands;
    },
  },
];

export async function main(argv: string[]): Promise<void> {
  const complain = (text: string): void => void process.stderr.write(`${plainText(text)}\n`);
  const deps: RelayctlDeps = {
    print: (text) => void process.stdout.write(`${plainText(text)}\n`),
    complain,
    dial: unixDial,
    clock: systemClock,
    onInterrupt,
    terminal,
    examine,
    dataDir: process.env.RELAYGATE_DEVICE_DATA_DIR,
    userName: nameOfUser(),
    boards: profilesOf,
    boardConfig,
    serialPorts: portsOf,
    runDir: process.env.RELAYGATE_DEVICE_RUN_DIR,
    families: FAMILIES,
  };
  await runPrinting({
    run: () => relayctl(argv, deps),
    unwritten: (message) =>
      complain(complaint(argv, 'outcome-unknown', `${message} What was asked for may have happened.`)),
    unwrittenCode: EXIT.unknown,
    // `log -f | head` would go on for ever. What ends just now leaves its exit code first.
    unread: () => void setImmediate(() => process.exit()),
  });
}

/** Until the request is through, Ctrl-C does not end relayctl before it has said what is known. A second one does. */
function onInterrupt(run: () => void): Cancel {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const cancel = (): void => {
    for (const signal of signals) process.off(signal, interrupted);
  };
  const interrupted = (): void => {
    cancel();
    run();
  };
  for (const signal of signals) process.on(signal, interrupted);
  return cancel;
}

function profilesOf(folder: string | undefined): BoardProfile[] {
  const { readBoardProfiles }: typeof import('./board-profiles') = require('./board-profiles');
  return readBoardProfiles(folder);
}

function boardConfig(): string | null {
  try {
    return readFileSync(`${DEFAULT_BOOT_DIR}/${BOARD_CONFIG_FILE}`, 'utf8');
  } catch {
    return null;
  }
}

function portsOf(profiles: readonly BoardProfile[]): SerialPortFound[] {
  const { serialPorts }: typeof import('./serial-ports') = require('./serial-ports');
  return serialPorts(profiles);
}

const examine: Examine = (options) => {
  const { doctor }: typeof import('../doctor/compose') = require('../doctor/compose');
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

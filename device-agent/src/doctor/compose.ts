/** The only place that wires what the doctor examines. */
import { join } from 'node:path';
import { type ConsoleLanguage, parseDeviceSettings } from '@relaygate/shared/device';
import { systemClock } from '@relaygate/shared/system';
import type { DeviceStatus } from '../agent/technician/local-messages/device';
import type { Finding } from '../agent/technician/local-messages/doctor';
import { dataPathsIn } from '../files/data-paths';
import { readSettings } from '../files/settings-file';
import { deviceClock } from '../platform/device-clock';
import { durableFiles } from '../platform/durable-files';
import { openersOf } from '../platform/file-openers';
import { host } from '../platform/host';
import { runAndKill } from '../platform/killed-process';
import { sysfsLine } from '../platform/sysfs-line';
import { kernelGpio } from '../relay/kernel-gpio';
import type { Folders } from '../runtime/folders';
import { causeOf } from '../runtime/problem';
import type { Machine } from './check-context';
import { examine } from './doctor';
import { isNotAllowed, reported } from './finding';

const HOLDER = join(__dirname, 'hold-line.js');

export interface DoctorOptions {
  folders: Folders;
  testLine: number | null;
  language: ConsoleLanguage;
  /** The status of the running agent, with its words in `language`; rejects if there is none. */
  askStatus(): Promise<DeviceStatus>;
  progress(done: number, all: number): void;
}

/** Examines this machine. Never rejects. */
export async function doctor({ folders, testLine, language, askStatus, progress }: DoctorOptions): Promise<Finding[]> {
  const machine: Machine = {
    ...host,
    openersOf,
    sysfsLine,
    gpioKernel: kernelGpio,
    holdAndKill: (label, offset, level) => runAndKill(HOLDER, 'holdLine', [label, offset, level]),
  };
  const [read, asked] = await Promise.allSettled([
    readSettings(durableFiles, dataPathsIn(folders.dataDir).settings, parseDeviceSettings),
    askStatus(),
  ]);
  const seen = await examine(
    {
      machine,
      clock: systemClock,
      wallClock: deviceClock(),
      folders,
      settings: read.status === 'fulfilled' ? read.value.settings : null,
      areSettingsHidden: read.status === 'rejected' && isNotAllowed(originOf(read.reason)),
      settingsProblem: read.status === 'fulfilled' ? '' : causeOf(read.reason),
      status: asked.status === 'fulfilled' ? asked.value : null,
      statusProblem: asked.status === 'fulfilled' ? '' : causeOf(asked.reason),
      testLine,
    },
    progress,
  );
  return seen.map((finding) => reported(finding, language));
}

/** The system's error, of which readSettings has made a sentence. */
function originOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

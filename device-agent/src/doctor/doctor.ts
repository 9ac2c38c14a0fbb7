import type { FindingName } from '../locales/findings';
import { inTime } from '../runtime/in-time';
import { boardLines, bootLevels } from './board-checks';
import type { Check, CheckContext } from './check-context';
import { consolePort } from './console-check';
import { deviceFaults, enrolment, programs, settingsFile, wiringProof } from './device-checks';
import { cardLife, diskSpace, fileSystemErrors } from './disk-checks';
import { type CheckResult, type NamedResult, unseen, warn } from './finding';
import { supply, watchdog } from './hardware-checks';
import { inputLevels } from './input-check';
import { gpioAccess, kernelVersion } from './kernel-checks';
import { lineAfterDeath } from './line-after-death';
import { openFolders, secretFiles } from './permission-checks';
import { clockKept, serverChecks, serverName } from './server-checks';

/** Longer than a name server or a connection may take if all is well. */
const CHECK_MS = 8_000;
/** A program is started for it, which takes a small computer seconds. */
const KILLED_PROCESS_MS = 20_000;

function checks(): [FindingName, Check, number?][] {
  const { connection, certificate, clockInStep } = serverChecks();
  return [
    ['settings', settingsFile],
    ['programs', programs],
    ['faults', deviceFaults],
    ['enrolment', enrolment],
    ['proof', wiringProof],
    ['kernel', kernelVersion],
    ['GPIO access', gpioAccess],
    ['board', boardLines],
    ['inputs', inputLevels],
    ['power-on', bootLevels],
    ['killed process', lineAfterDeath, KILLED_PROCESS_MS],
    ['console', consolePort],
    ['server name', serverName],
    ['server', connection],
    ['certificate', certificate],
    ['clock', clockInStep],
    ['time service', clockKept],
    ['disk', diskSpace],
    ['file system', fileSystemErrors],
    ['card', cardLife],
    ['supply', supply],
    ['watchdog', watchdog],
    ['secrets', secretFiles],
    ['permissions', openFolders],
  ];
}

/** Runs all checks side by side: none moves a line but the one that was asked to. Never rejects. */
export function examine(context: CheckContext, progress: (done: number, all: number) => void): Promise<NamedResult[]> {
  const all = checks();
  let done = 0;
  return Promise.all(
    all.map(async ([name, check, patienceMs = CHECK_MS]) => {
      const late = warn('no-answer', { seconds: patienceMs / 1_000 });
      const result = await inTime(context.clock, patienceMs, looked(check, context), late);
      done += 1;
      progress(done, all.length);
      return { name, ...result };
    }),
  );
}

/** A check that fails says so. */
async function looked(check: Check, context: CheckContext): Promise<CheckResult> {
  try {
    return await check(context);
  } catch (error) {
    return unseen(error);
  }
}

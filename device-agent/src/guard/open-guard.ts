import type { Clock } from '@relaygate/shared';
import type { OutputSettings } from '@relaygate/shared/device';
import type { Files } from '../files/files';
import type { Corruption } from '../files/loaded-file';
import { causeText } from '../locales/en/causes';
import { GUARD_FILE_FAULTS } from '../locales/en/guard-faults';
import { sentenceOf } from '../locales/sentence';
import type { Cause } from '../runtime/cause';
import { type Fault, fault } from '../runtime/fault';
import { Faults } from '../runtime/faults';
import { Guard } from './guard';
import type { GuardDeps } from './guard-deps';
import { Journal } from './journal';
import { Listeners } from './listeners';
import { type OffOrdersDeps, OffOrdersKeeper } from './off-orders-keeper';
import { StateFile } from './state-file';

export interface OpenGuardDeps
  extends Omit<GuardDeps, 'slackClock' | 'journal' | 'stateFile' | 'listeners' | 'faults'> {
  /** Absent: `clock`. */
  slackClock?: Clock;
  files: Files;
  statePath: string;
  journalPath: string;
  /** Rejects when the data folder can never be written. */
  checkWritable(): Promise<void>;
  /** Absent: nothing switches this board off without its guard. */
  offOrders?: OffOrdersDeps;
}

/**
 * Opens the guard over its files, and brings every output to where the power-on policy wants it. Switching off waits for no
 * disk (I4): what no policy could want on goes off before any file is read, what the policy does not want on before any is
 * written. Corrupt and unreadable files are quarantined, and the guard starts with everything inactive and says so.
 */
export async function openGuard(outputs: readonly OutputSettings[], deps: OpenGuardDeps): Promise<Guard> {
  const { clock, slackClock = clock, files, log, bootId, statePath, journalPath } = deps;
  const listeners = new Listeners(log);
  const faults = new Faults(() => listeners.notify());
  const found = (key: string, one: Fault): void => {
    // Once, not with each try.
    if (faults.set(key, one)) log.warn(sentenceOf(one, GUARD_FILE_FAULTS, causeText) ?? one.code);
  };
  const report = (code: 'state-unwritten' | 'journal-unwritten' | 'off-orders-unwritten') => (problem: Cause | null) =>
    problem === null ? faults.clear(code) : found(code, fault(code, { problem }));
  const reportUnusable = (file: string, { problem, kept }: Corruption): void =>
    found(
      `${file} unusable`,
      problem === null
        ? fault('file-corrupt', { file, ...kept })
        : fault('file-unreadable', { file, problem, ...kept }),
    );
  const stateFile = new StateFile({ files, clock, path: statePath, onFault: report('state-unwritten') });
  const journal = new Journal({ files, clock, path: journalPath, bootId, onFault: report('journal-unwritten') });

  const guard = new Guard(outputs, { ...deps, slackClock, journal, stateFile, listeners, faults });
  if (deps.offOrders) {
    const offOrders = new OffOrdersKeeper(deps.offOrders, clock, report('off-orders-unwritten'));
    // Written before the board is touched, and whenever polarity or pulses change.
    const keep = (): void => offOrders.keep(guard.outputs);
    keep();
    guard.watch(keep);
  }
  await guard.openBoard();
  const state = await stateFile.load();
  if (!state.remembered) reportUnusable('state.json', state.corruption);
  const mayHaveRun = state.remembered === null || state.remembered.bootId === bootId;
  const { earlier, corruption } = await journal.load(mayHaveRun);
  if (corruption !== null) reportUnusable('journal', corruption);
  await guard.start(state.remembered, earlier, async () => {
    try {
      await deps.checkWritable();
    } catch (error) {
      await guard.stop();
      throw error;
    }
    await journal.begin();
  });
  return guard;
}

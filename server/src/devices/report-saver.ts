import type { Cancel, Clock, ReportedOutput } from '@relaygate/shared';
import { DATABASE_RETRY_MS } from '../database-retry';
import type { WriteBudgets } from '../limits/write-budgets';
import type { Log } from '../log/log';
import type { DeviceReport, DeviceStore, RepeatedParts } from './device-store';

export interface ReportSaverDeps {
  store: Pick<DeviceStore, 'saveReport'>;
  clock: Clock;
  budgets: Pick<WriteBudgets, 'reports'>;
  log: Log;
}

/**
 * Saves the newest report of one link. It replaces an older one that could not be written, or that waits for the product's
 * budget (I15).
 */
export class ReportSaver {
  readonly #deps: ReportSaverDeps;
  readonly #productLogin: string;
  readonly #epoch: number;
  #newest: DeviceReport | undefined;
  #last: DeviceReport | undefined;
  /** What the database has of this link; undefined if that is not certain. */
  #saved: DeviceReport | undefined;
  #saving = false;
  #cancelRetry: Cancel = () => {};

  constructor(deps: ReportSaverDeps, productLogin: string, epoch: number) {
    this.#deps = deps;
    this.#productLogin = productLogin;
    this.#epoch = epoch;
  }

  save(report: DeviceReport): void {
    this.#newest = this.#last = report;
    if (!this.#saving) void this.#saveNewest();
  }

  /** The database ignored it. */
  saveAgain(): void {
    if (this.#last) this.save(this.#last);
  }

  /** No retry any more; the device reports again on its next link. */
  stop(): void {
    this.#newest = this.#last = undefined;
    this.#cancelRetry();
  }

  async #saveNewest(): Promise<void> {
    this.#saving = true;
    this.#cancelRetry();
    const { store, clock, budgets, log } = this.#deps;
    for (let report = this.#newest; report; report = this.#newest) {
      const waitMs = budgets.reports.of(this.#productLogin).take();
      if (waitMs > 0) {
        this.#cancelRetry = clock.after(waitMs, () => void this.#saveNewest());
        break;
      }
      try {
        const repeated = this.#saved && repeatedParts(this.#saved, report);
        this.#saved = undefined;
        const isSaved = await store.saveReport(this.#productLogin, this.#epoch, { ...report, repeated });
        if (isSaved) this.#saved = report;
        if (this.#newest === report) this.#newest = undefined;
      } catch (err) {
        log.warn({ productLogin: this.#productLogin, err }, 'report not saved, tried again');
        this.#cancelRetry = clock.after(DATABASE_RETRY_MS, () => void this.#saveNewest());
        break;
      }
    }
    this.#saving = false;
  }
}

function repeatedParts(before: DeviceReport, now: DeviceReport): RepeatedParts {
  const settings = settingsByOutput(now);
  const settingsBefore = settingsByOutput(before);
  return {
    noInputs: now.inputs.length + before.inputs.length === 0,
    faults: JSON.stringify(now.faults) === JSON.stringify(before.faults),
    settingsOf: [...settings].filter(([n, output]) => isSame(output, settingsBefore.get(n))).map(([n]) => n),
  };
}

/** If a device names an output twice, the last one counts. */
function settingsByOutput({ outputs }: DeviceReport): Map<number, ReportedOutput> {
  return new Map(outputs.map((output) => [output.numOutput, output]));
}

/** A locked output never counts as the same, because each report moves the end of the lock. */
function isSame(now: ReportedOutput, before: ReportedOutput | undefined): boolean {
  if (now.lockedForMs !== undefined || before?.lockedForMs !== undefined) return false;
  const { name, mode, pulseMs, confirmedBy } = now;
  return (
    name === before?.name && mode === before.mode && pulseMs === before.pulseMs && confirmedBy === before.confirmedBy
  );
}

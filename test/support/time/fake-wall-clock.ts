import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A wall clock of their own for processes started with `env`, moved while they run (libfaketime). CLOCK_MONOTONIC,
 * and with it process.hrtime and all timers, stays the machine's: only then does a test show what a jump does.
 */
export class FakeWallClock {
  readonly env: Readonly<Record<string, string>>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'rg-clock-'));
  readonly #file = join(this.#folder, 'time');

  constructor() {
    const { stdout } = spawnSync('faketime', ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' });
    this.env = {
      LD_PRELOAD: stdout.trim(),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
    this.set('+0');
  }

  /** libfaketime's notation: `+1h` and `-1h` from the real time; `@1970-01-01 00:00:10` for a clock that starts there. */
  set(time: string): void {
    // A file that is half written would be no time at all.
    writeFileSync(`${this.#file}.new`, `${time}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

/** What keeps a fake wall clock from working here; undefined when it works. */
export function fakeClockMissing(): string | undefined {
  const script = 'console.log(Date.now(), process.hrtime.bigint().toString())';
  if (spawnSync('faketime', ['--version']).error) return 'the Debian package faketime, for wall clocks that jump (T14)';
  const clock = new FakeWallClock();
  try {
    clock.set('+1h');
    const { stdout } = spawnSync(process.execPath, ['-e', script], {
      env: { ...process.env, ...clock.env },
      encoding: 'utf8',
    });
    const [wallMs, monotonicNs] = stdout.trim().split(' ').map(Number);
    const isAhead = Math.abs(Number(wallMs) - Date.now() - 3_600_000) < 60_000;
    const isMonotonicReal = Math.abs(Number(monotonicNs) - Number(process.hrtime.bigint())) < 60e9;
    return isAhead && isMonotonicReal ? undefined : `a libfaketime that moves the wall clock alone (it gave ${stdout})`;
  } finally {
    clock.remove();
  }
}

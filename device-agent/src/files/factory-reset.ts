import { dataPathsIn } from './data-paths';
import type { RemovableFiles } from './files';
import { isResetBegun, resetMarkIn } from './reset-mark';

/**
 * Secrets go first: a reset that is cut short for good must not leave the site's Wi-Fi or a key on the card. Settings last:
 * without them neither guard nor agent starts.
 */
function pathsToWipe(folder: string): string[] {
  const { settings, identity, enrolmentCode, pin, wifi, webCertificate, ...others } = dataPathsIn(folder);
  // A crash while the code was removed has left it under the other name.
  const secrets = [identity, wifi, pin, webCertificate, enrolmentCode, `${enrolmentCode}.old`];
  return [...secrets, ...Object.values(others), `${folder}/state.json`, settings];
}

/** How many copies of one file are looked for; a program takes the first free number. */
const MAX_QUARANTINED = 100;

/**
 * Makes a device new. A crash at any moment leaves the old device, or one that knows that its reset was begun and finishes
 * it at the agent's next start.
 */
export class FactoryReset {
  readonly #files: RemovableFiles;
  readonly #folder: string;
  readonly #elsewhere: readonly string[];
  readonly #mark: string;

  /** `elsewhere`: paths outside `folder` that are wiped with it. */
  constructor(files: RemovableFiles, folder: string, elsewhere: readonly string[] = []) {
    this.#files = files;
    this.#folder = folder;
    this.#elsewhere = elsewhere;
    this.#mark = resetMarkIn(folder);
  }

  isBegun(): Promise<boolean> {
    return isResetBegun(this.#files, this.#folder);
  }

  /** From here on no guard starts. */
  async begin(by: string): Promise<void> {
    await this.#files.replace(this.#mark, `${JSON.stringify({ by })}\n`);
  }

  /** Takes the begin back, if nothing was wiped yet. Rejects with the disk's error. */
  async takeBack(): Promise<void> {
    await this.#files.remove(this.#mark);
  }

  /** Wipes; there is no way back from here. Rejects with the disk's error; this agent or the next one can call it again. */
  async finish(): Promise<void> {
    // Whoever began may have died before the mark was durable: a power cut would then take back the mark, and not the
    // wiping.
    await this.#files.sync(this.#mark);
    for (const path of [...pathsToWipe(this.#folder), ...this.#elsewhere]) await this.#wipe(path);
    await this.#files.remove(this.#mark);
  }

  /** Wipes a file, what a crash has left beside it, and its quarantined copies: all may hold a key. */
  async #wipe(path: string): Promise<void> {
    await this.#files.remove(`${path}.new`);
    for (let n = 1; n <= MAX_QUARANTINED; n += 1) {
      const quarantined = `${path}.corrupt-${n}`;
      // Numbers may be missing in between, because somebody or a former reset has removed a copy.
      if ((await this.#files.read(quarantined)) !== null) await this.#files.remove(quarantined);
    }
    await this.#files.remove(path);
  }
}

import { productCodeProblem } from '@relaygate/shared';
import { Mutex } from 'async-mutex';
import type { RemovableFiles } from '../../files/files';
import { type Fault, fault } from '../../runtime/fault';
import { causeOf } from '../../runtime/problem';

/** A `proof` has no room for more. */
const CODE_MAX_CHARS = 64;

/** `enrolment-code` in the data folder: the installer puts it there, and it goes after the first welcome. */
export class EnrolmentCode {
  readonly #files: RemovableFiles;
  readonly #path: string;
  #fault: Fault | null = null;
  /** One removal at a time: each looks at the file under the same other name. */
  readonly #mutex = new Mutex();

  constructor(files: RemovableFiles, path: string) {
    this.#files = files;
    this.#path = path;
  }

  /** What was wrong with the file when it was last read. */
  get faults(): Fault[] {
    return this.#fault === null ? [] : [this.#fault];
  }

  /** null, also if the file is of no use: an enrolled device needs none. */
  async read(): Promise<string | null> {
    try {
      const code = (await this.#files.read(this.#path))?.trim() ?? '';
      const isCode = code.length <= CODE_MAX_CHARS && productCodeProblem(code, 'enrolment code') === null;
      this.#fault = code === '' || isCode ? null : fault('code-useless', { path: this.#path });
      return isCode ? code : null;
    } catch (error) {
      this.#fault = fault('code-unreadable', { path: this.#path, problem: causeOf(error) });
      return null;
    }
  }

  /** Removes the code that was sent, which is used up; a newer one stays. null: none was. */
  forget(sent: string | null): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      if (sent === null || (await this.read()) !== sent) return;
      // The disk may take its time, and a newer code come meanwhile.
      await this.#files.remove(this.#path, (text) => text.trim() === sent);
    });
  }
}

import { productCodeProblem } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { type Fault, fault } from '../../runtime/fault';
import { causeOf } from '../../runtime/problem';

/** A `proof` has no room for more. */
const CODE_MAX_CHARS = 64;

/** `enrolment-code` in the data folder: put there by whoever installs the device, gone after the first welcome. */
export class EnrolmentCode {
  readonly #files: Files;
  readonly #path: string;
  #fault: Fault | null = null;
  #sent: string | null = null;

  constructor(files: Files, path: string) {
    this.#files = files;
    this.#path = path;
  }

  /** What was wrong with the file when it was last looked at. */
  get faults(): Fault[] {
    return this.#fault === null ? [] : [this.#fault];
  }

  /** null also where the file is of no use: a device that is enrolled already needs none. */
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

  /** The same, for a proof that goes to the server. */
  async toSend(): Promise<string | null> {
    this.#sent = await this.read();
    return this.#sent;
  }

  /** The one that was sent is used up; a newer one that was put there since is not. */
  async forget(): Promise<void> {
    if (this.#sent === null || (await this.read()) !== this.#sent) return;
    await this.#files.remove(this.#path);
  }
}

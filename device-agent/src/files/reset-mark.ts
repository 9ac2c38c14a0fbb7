import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Files } from './files';

/** While this file is there, a factory reset was begun and not finished: nothing starts but its end. */
export class ResetMark {
  readonly path: string;
  readonly #files: Pick<Files, 'read'>;

  constructor(files: Pick<Files, 'read'>, folder: string) {
    this.#files = files;
    this.path = `${folder}/reset-begun.json`;
  }

  async isThere(): Promise<boolean> {
    return (await this.#files.read(this.path)) !== null;
  }

  /** Throws for a program that must not work on what is half gone. */
  async refuseHalfDone(): Promise<void> {
    if (!(await this.isThere())) return;
    throw new RelaygateError(
      'bad-setting',
      'A factory reset was begun here and is not finished: start relaygate-agent, which finishes it.',
    );
  }
}

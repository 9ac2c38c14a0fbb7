import { parserOf, type Static, Type } from '@relaygate/shared';
import type { Files } from '../files/files';
import { parsedIn } from '../files/json-text';
import { quarantineIfPossible } from '../files/quarantine';
import type { Log } from '../program/log';
import { problemOf } from '../program/problem';
import { type Fault, fault } from '../words/faults/fault';
import { faultText } from '../words/faults/fault-text';
import type { History } from './history/history';
import { PROOF_KINDS } from './history/kinds';
import { Wiring } from './wiring';

/** Somebody watched every relay, and each did what its output says. */
export const Proof = Type.Object({
  /** ISO 8601, by this device's wall clock. */
  provenAt: Type.String(),
  /** false: nobody had set that clock, so the time says nothing. */
  isClockSet: Type.Optional(Type.Literal(false)),
  by: Type.String(),
  /** Where the lines came from, for people. */
  profile: Type.Union([Type.String(), Type.Null()]),
  wiring: Wiring,
  /** Of the history; absent: of an agent that did not say. */
  entrySeq: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type Proof = Static<typeof Proof>;
const parseProof = parserOf(Proof);

export interface ProofFileDeps {
  files: Files;
  path: string;
  history: Pick<History, 'reconcilePlanned'>;
  log: Log;
  /** Loaded: a proof may be there now. */
  onChange(): void;
}

/** `proof.json`. Until it is read there is no proof: in doubt nothing moves (I14). */
export class ProofFile {
  readonly #deps: ProofFileDeps;
  #proof: Proof | null = null;
  #fault: Fault | null = null;

  constructor(deps: ProofFileDeps) {
    this.#deps = deps;
  }

  get proof(): Proof | null {
    return this.#proof;
  }

  /** What was wrong with the file at the start. */
  get faults(): Fault[] {
    return this.#fault === null ? [] : [this.#fault];
  }

  /** Never rejects. */
  async load(): Promise<void> {
    const { files, path, history, log, onChange } = this.#deps;
    try {
      const text = await files.read(path);
      if (text === null) return history.reconcilePlanned(PROOF_KINDS, 0);
      this.#proof = parsedIn(text, parseProof);
      if (this.#proof?.entrySeq !== undefined) history.reconcilePlanned(PROOF_KINDS, this.#proof.entrySeq);
      if (this.#proof === null) {
        this.#fault = fault('file-corrupt', { file: path, ...(await quarantineIfPossible(files, path)) });
      }
    } catch (error) {
      this.#fault = fault('proof-unreadable', { path, problem: problemOf(error) });
    }
    if (this.#fault !== null) log.warn(faultText(this.#fault));
    onChange();
  }

  /** Durable when it resolves. Rejects with that one in force which stands in the file: see `proof`. */
  async record(proof: Proof): Promise<void> {
    const { files, path } = this.#deps;
    const text = `${JSON.stringify(proof, null, 2)}\n`;
    try {
      await files.replace(path, text);
    } catch (error) {
      // It may have come as far as the file itself, and would be in force at the next start.
      if ((await files.read(path).catch(() => null)) === text) this.#inForce(proof);
      throw error;
    }
    this.#inForce(proof);
  }

  #inForce(proof: Proof): void {
    this.#proof = proof;
    this.#fault = null;
  }
}

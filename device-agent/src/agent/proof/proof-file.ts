import { parserOf, type Static, Type } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { JsonFile, type JsonFormat } from '../../files/json-file';
import { quarantineIfPossible } from '../../files/quarantine';
import { faultText } from '../../locales/fault-text';
import { type Fault, fault } from '../../runtime/fault';
import type { Log } from '../../runtime/log';
import { causeOf } from '../../runtime/problem';
import type { History } from '../history/history';
import { PROOF_KINDS } from '../history/kinds';
import { Wiring } from '../settings/wiring';

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
  /** The entry of the history; absent: an older agent did not say. */
  entrySeq: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type Proof = Static<typeof Proof>;
const FORMAT: JsonFormat<Proof> = { parse: parserOf(Proof) };

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
  readonly #file: JsonFile<Proof>;
  #proof: Proof | null = null;
  #fault: Fault | null = null;

  constructor(deps: ProofFileDeps) {
    this.#deps = deps;
    this.#file = new JsonFile(deps.files, deps.path, FORMAT);
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
      const { text, value } = await this.#file.read();
      if (text === null) return history.reconcilePlanned(PROOF_KINDS, 0);
      // A former agent may have died before it was durable, and whoever reads that it is proven goes home.
      this.#file.sync().catch(() => {});
      this.#proof = value;
      if (this.#proof?.entrySeq !== undefined) history.reconcilePlanned(PROOF_KINDS, this.#proof.entrySeq);
      if (this.#proof === null) {
        this.#fault = fault('file-corrupt', { file: path, ...(await quarantineIfPossible(files, path)) });
      }
    } catch (error) {
      this.#fault = fault('proof-unreadable', { path, problem: causeOf(error) });
    }
    if (this.#fault !== null) log.warn(faultText(this.#fault));
    onChange();
  }

  /** Durable when it resolves. If it rejects, the proof that stands in the file is in force: see `proof`. */
  async record(proof: Proof): Promise<void> {
    try {
      await this.#file.save(proof);
    } catch (error) {
      // The write may have come as far as the file itself, and would be in force at the next start.
      if (await this.#file.holds(proof)) this.#inForce(proof);
      throw error;
    }
    this.#inForce(proof);
  }

  #inForce(proof: Proof): void {
    this.#proof = proof;
    this.#fault = null;
  }
}

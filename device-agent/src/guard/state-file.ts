import type { Cancel, Clock } from '@relaygate/shared';
import { parserNamed } from '@relaygate/shared/named-parser';
import type { Files } from '../files/files';
import { jsonText, parsedIn } from '../files/json-text';
import { type Corruption, loadFile } from '../files/loaded-file';
import { TimelySaves } from '../files/timely-saves';
import type { Cause } from '../runtime/cause';
import { causeOf } from '../runtime/problem';
import type { GuardState } from './guard-records';
import type { RememberedState } from './power-on';

const SAVE_RETRY_MS = 1_000;

const parse = parserNamed('guard-state', () => {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const { GuardState }: typeof import('./guard-records') = require('./guard-records');
  return GuardState;
});

export interface StateFileDeps {
  files: Files;
  clock: Clock;
  path: string;
  /** null: saving works again. */
  onFault(problem: Cause | null): void;
}

/** `state.json`: written only when something in it changes, tried again while the disk refuses. Nobody waits longer than SAVE_PATIENCE_MS. */
export class StateFile {
  readonly #deps: StateFileDeps;
  #wanted: GuardState = { bootId: null, active: {} };
  /** What the disk holds, as text; null: unknown. */
  #durable: string | null = null;
  /** What `load` found, which a former guard may not have synced; null: another text has been written since. */
  #found: string | null = null;
  readonly #saves: TimelySaves;
  #cancelRetry: Cancel = () => {};
  #isClosed = false;

  constructor(deps: StateFileDeps) {
    this.#deps = deps;
    const { clock, onFault } = deps;
    this.#saves = new TimelySaves({ clock, write: () => this.#saveNow(), silent: onFault });
  }

  /**
   * Resolves with what is remembered; null: the file cannot be used, is quarantined, and `corruption` says so. Never
   * rejects, because a relay may wait to be switched off (I4).
   */
  async load(): Promise<{ remembered: RememberedState } | { remembered: null; corruption: Corruption }> {
    const { files, path } = this.#deps;
    const { value: state, corruption } = await loadFile(files, path, (text) => parsedIn(text, parse));
    if (corruption) return { remembered: null, corruption };
    if (!state) return { remembered: { bootId: null, active: new Map() } };
    this.#wanted = state;
    this.#found = jsonText(state);
    const active = new Map(Object.entries(state.active).map(([number, isActive]) => [Number(number), isActive]));
    return { remembered: { bootId: state.bootId, active } };
  }

  /** Durable when it resolves. Rejects when it could not be saved in time; it is tried again until it can. */
  async saveBoot(bootId: string): Promise<void> {
    const isKnown = this.#found !== null && this.#wanted.bootId === bootId;
    this.#wanted = { ...this.#wanted, bootId };
    // Only the next guard of this boot needs it, and finds it as this one did: so no sync of a slow disk holds up a
    // restore.
    if (isKnown) void this.#save().catch(() => {});
    else await this.#save();
  }

  /** As `saveBoot`, for one output; `null` forgets it, because it is no `restore` output (any more). */
  saveOutput(numOutput: number, isActive: boolean | null): Promise<void> {
    const { [String(numOutput)]: _before, ...others } = this.#wanted.active;
    const active = isActive === null ? others : { ...others, [String(numOutput)]: isActive };
    this.#wanted = { ...this.#wanted, active };
    return this.#save();
  }

  /** Tries what the disk has refused once more, then stops writing. Resolves when the disk has no write of this file in hand. */
  close(): Promise<void> {
    void this.#saves.save().catch(() => {});
    this.#isClosed = true;
    return this.#saves.tried();
  }

  #save(): Promise<void> {
    return this.#isClosed ? Promise.reject(new Error('the guard is about to end')) : this.#saves.save();
  }

  async #saveNow(): Promise<void> {
    // What was asked for meanwhile is written too.
    const text = jsonText(this.#wanted);
    if (text === this.#durable) return;
    this.#cancelRetry();
    const { files, path } = this.#deps;
    try {
      this.#durable = null;
      const isThere = text === this.#found;
      this.#found = null;
      await (isThere ? files.sync(path) : files.replace(path, text));
      this.#durable = text;
      this.#deps.onFault(null);
    } catch (error) {
      this.#deps.onFault(causeOf(error));
      this.#cancelRetry = this.#deps.clock.after(SAVE_RETRY_MS, () => void this.#save().catch(() => {}));
      throw error;
    }
  }
}

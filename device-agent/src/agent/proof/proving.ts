import { type DeviceReason, type HistoryChange, isoTime } from '@relaygate/shared';
import { type Fault, fault } from '../../runtime/fault';
import { causeOf } from '../../runtime/problem';
import { refused } from '../../runtime/refused';
import type { DeviceClock } from '../../runtime/wall-time';
import type { GuardContact } from '../commands/guard-contact';
import type { RequestLife } from '../commands/late-request';
import type { EventLog } from '../history/event-log';
import { happened } from '../history/happened';
import type { History } from '../history/history';
import type { SettingsKeeper } from '../settings/settings-keeper';
import { isSameWiring, type Wiring, wiringInUse } from '../settings/wiring';
import type { Correction, ProofReply, ProveReply, ProveRequest } from '../technician/local-messages/proof';
import type { ClickedOutputs } from './clicked-outputs';
import type { Clicks } from './clicks';
import { verdictOn } from './proof-answers';
import type { Proof, ProofFile } from './proof-file';

export interface ProvingDeps {
  guard: Pick<GuardContact, 'status'>;
  settings: SettingsKeeper;
  clicks: Pick<Clicks, 'answered' | 'refusalReason'>;
  clicked: Pick<ClickedOutputs, 'missing'>;
  file: ProofFile;
  history: Pick<History, 'planned'>;
  wallClock: DeviceClock;
  events: Pick<EventLog, 'report'>;
  onChange(): void;
}

/** Whether somebody has seen that each output moves its own relay, and what follows from that for remote commands. */
export class Proving {
  readonly #deps: ProvingDeps;

  constructor(deps: ProvingDeps) {
    this.#deps = deps;
  }

  /** Why a remote command may not move this output now; null: nothing of this stands in its way. */
  refusalReason(numOutput: number): DeviceReason | null {
    const isMissing = this.#isRequired && !this.#isProven;
    return isMissing ? 'not-proven' : this.#deps.clicks.refusalReason(numOutput);
  }

  get faults(): Fault[] {
    const missing = this.#isRequired && !this.#isProven ? [fault('not-proven', {})] : [];
    return [...this.#deps.file.faults, ...missing];
  }

  view(): ProofReply {
    return {
      wiring: this.#wiring(),
      names: this.#deps.settings.settings.outputs.map(({ name }) => name),
      proof: this.#deps.file.proof,
      isProven: this.#isProven,
      isRequired: this.#isRequired,
    };
  }

  /** Records the proof, or corrects the settings; rejects if no settings could make the answers right. */
  async prove({ by, wiring, answers, actor }: ProveRequest, life: RequestLife): Promise<ProveReply> {
    void this.#deps.clicks.answered();
    if (!isSameWiring(wiring, this.#wiring())) throw refused('refused', 'wiring-changed', {});
    const verdict = verdictOn(wiring, answers);
    if (verdict.kind !== 'impossible') this.#refuseUnclicked(wiring);
    switch (verdict.kind) {
      case 'right':
        return { result: 'proven', proof: await this.#record(by, wiring, actor) };
      case 'wrong': {
        const mustRestart = await this.#correct(wiring, verdict.after, { actor, life });
        for (const correction of verdict.corrections)
          this.#deps.events.report(
            'settings',
            happened('output-changed', { ...changesByCorrection(correction), actor }),
          );
        return { result: 'corrected', corrections: verdict.corrections, mustRestart };
      }
      case 'impossible':
        throw refused('refused', 'proof-impossible', { problems: verdict.problems });
      default:
        return verdict satisfies never;
    }
  }

  get #isRequired(): boolean {
    return this.#deps.settings.settings.requireProof ?? false;
  }

  get #isProven(): boolean {
    const { proof } = this.#deps.file;
    return proof !== null && isSameWiring(proof.wiring, this.#wiring());
  }

  #wiring(): Wiring {
    const { settings, guard } = this.#deps;
    return wiringInUse(settings.settings, guard.status);
  }

  /** An answer about a relay that has not clicked is a guess. */
  #refuseUnclicked(wiring: Wiring): void {
    const outputs = this.#deps.clicked.missing(wiring);
    if (outputs.length > 0) throw refused('refused', 'not-clicked', { outputs });
  }

  async #record(by: string, wiring: Wiring, actor: string): Promise<Proof> {
    const { settings, file, history, wallClock, onChange } = this.#deps;
    const { board } = settings.settings;
    const profile = 'profile' in board ? (board.profile ?? null) : null;
    const provenAt = isoTime(wallClock.epochMs());
    const proof: Proof = { provenAt, ...(wallClock.isSet() ? {} : { isClockSet: false }), by, profile, wiring };
    let saved: Proof | null = null;
    const stands = (): boolean => saved !== null && file.proof === saved;
    try {
      return await history.planned({ actor, kind: 'proof', outcome: 'proven', stands }, async (entrySeq) => {
        saved = { ...proof, entrySeq };
        await this.#save(saved);
        return proof;
      });
    } finally {
      if (stands()) this.#deps.events.report('settings', happened('wiring-proven', { by, actor }));
      onChange();
    }
  }

  async #save(proof: Proof): Promise<void> {
    const { file } = this.#deps;
    try {
      await file.record(proof);
    } catch (error) {
      const stands = file.proof === proof;
      throw refused('refused', 'proof-unsaved', { problem: causeOf(error), stands }, { cause: error });
    }
  }

  /**
   * Corrects all of it as one change. True: it is in force with the next start only, because the lines of a running guard
   * are not changed (I5).
   */
  async #correct(
    before: Wiring,
    { lines, activeLevels }: Wiring,
    { actor, life }: { actor: string; life: RequestLife },
  ): Promise<boolean> {
    const { settings } = this.#deps;
    if (lines !== null && lines.join() !== before.lines?.join()) {
      await settings.choose(
        (old) => ({
          ...old,
          board: 'lines' in old.board ? { ...old.board, lines } : old.board,
          outputs: old.outputs.map((output, n) => ({ ...output, activeLevel: activeLevels[n] ?? output.activeLevel })),
        }),
        actor,
        life,
      );
      return true;
    }
    const changes = activeLevels.map((activeLevel, numOutput) => ({ numOutput, change: { activeLevel } }));
    await settings.change(changes, { force: false, actor, life });
    return false;
  }
}

function changesByCorrection({ numOutput, ...members }: Correction): { numOutput: number; changes: HistoryChange[] } {
  return { numOutput, changes: Object.entries(members).map(([member, change]) => ({ member, ...change })) };
}

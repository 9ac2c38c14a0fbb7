import type { InterlockedOutput, InterlockTurns, Turn } from './interlock-turns';
import { JOURNAL_FAILED, type Objection, type OrderedCommand } from './ordered-command';

export interface CommandStartPorts {
  /** Resolves when the journal holds that the command may have moved something. */
  recordStart(command: OrderedCommand): Promise<void>;
  turns: Pick<InterlockTurns, 'take'>;
}

/** The way of one output's command from its beginning to its edge: recorded (I1), then cleared by its interlock. */
export class CommandStart {
  readonly #ports: CommandStartPorts;
  #turn: Turn | null = null;

  constructor(ports: CommandStartPorts) {
    this.#ports = ports;
  }

  /** `group`: the interlock to be cleared by; null: none. `ready` hears what stands in the way, or null. */
  begin(
    command: OrderedCommand,
    output: InterlockedOutput,
    group: string | null,
    isGone: () => boolean,
    ready: (problem: Objection | null) => void,
  ): void {
    const recorded = (): void => {
      if (group === null || isGone()) return ready(null);
      this.#turn = this.#ports.turns.take(output, group, command.startBeforeMs);
      void this.#turn.cleared.then(ready);
    };
    this.#ports.recordStart(command).then(recorded, () => ready(JOURNAL_FAILED));
  }

  /** The command is answered: the others of its interlock may have their turn. */
  end(): void {
    this.#turn?.end();
    this.#turn = null;
  }
}

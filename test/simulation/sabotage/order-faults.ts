/** Deliberate faults of who is refused, and of what a guard is told to do. */
import type { Actions } from '@relaygate/server/actions';
import type { Sabotage } from './sabotage';

interface Execute {
  commandId: string;
  numOutput: number;
  command: { action: string; state?: number };
  /** null: a command of the device itself. */
  epoch: number | null;
}

/** What a guard is told of a command, instead of what it is. */
function tells(instead: (execute: Execute) => Partial<Execute>): Sabotage {
  return {
    toGuard(line) {
      const request = JSON.parse(line);
      return request.type === 'execute' ? JSON.stringify({ ...request, ...instead(request) }) : line;
    },
  };
}

export function confusesOnAndOff(): Sabotage {
  return tells(({ command }) =>
    command.action === 'set' ? { command: { ...command, state: 1 - (command.state ?? 0) } } : {},
  );
}

export function confusesOutputs(): Sabotage {
  return tells(({ epoch, numOutput }) => (epoch === null ? {} : { numOutput: numOutput ^ 1 }));
}

export function confusesOutputsLocally(): Sabotage {
  return tells(({ epoch, numOutput }) => (epoch === null ? { numOutput: numOutput ^ 1 } : {}));
}

/** The guard's id of a command is not the server's. */
export function renamesCommands(): Sabotage {
  return tells(({ epoch, commandId }) => (epoch === null ? {} : { commandId: `${commandId}-a` }));
}

type Answer = Awaited<ReturnType<Actions['drive']>>;
const is409 = (answer: Answer): boolean => answer.kind === 'error' && answer.code === 'request-already-pending';

/** Whoever is refused a slot waits for the refusal. */
export function refusesLate(): Sabotage {
  return {
    actions: (actions, { scheduler }) => ({
      ...actions,
      async drive(order) {
        const answer = await actions.drive(order);
        if (is409(answer)) await new Promise<void>((resolve) => void scheduler.in(2_000, resolve));
        return answer;
      },
    }),
  };
}

/** Beside a command of any product, every other one is refused. */
export function hasOneSlotForAll(): Sabotage {
  let atWork = 0;
  return {
    actions: (actions) => ({
      ...actions,
      async drive(order) {
        if (atWork > 0) return { kind: 'error', code: 'request-already-pending' };
        atWork += 1;
        try {
          return await actions.drive(order);
        } finally {
          atWork -= 1;
        }
      },
    }),
  };
}

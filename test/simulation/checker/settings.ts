import { isTwin } from '../people/faults';
import type { Facts } from './facts';
import { lastStateOf } from './last-state';
import type { Violation } from './violation';

/** An output that has moved so shortly before or after may have been at rest when it was looked at. */
const AT_REST_MS = 600;
const MEMBERS = ['mode', 'pulseMs', 'powerOn'] as const;

/** What technicians were told holds: it is in the file, it is reported, and a relay that is on keeps its mode. */
export function checkSettings(facts: Facts): Violation[] {
  return [...checkRefusals(facts), ...checkKept(facts)];
}

/** Mode stays while the output is on, unless the technician insists. */
function checkRefusals(facts: Facts): Violation[] {
  return facts.history.wishes.flatMap(({ machine, numOutput, change, force, answer, answeredMs, askedMs }) => {
    if (!change.mode || force || answer !== 'ok' || answeredMs === null) return [];
    const before = facts.settings.valuesOf({ machine, numOutput }, 'mode', {
      fromMs: askedMs,
      untilMs: askedMs - 0.001,
    });
    if (before.has(change.mode)) return [];
    const edges = facts.edgesOf(machine, numOutput);
    const fromMs = askedMs - AT_REST_MS;
    const untilMs = answeredMs + AT_REST_MS;
    const isMoving = edges.some(({ atMs }) => atMs >= fromMs && atMs <= untilMs);
    if (isMoving || edges.findLast(({ atMs }) => atMs < fromMs)?.active !== true) return [];
    const sentence = `output ${numOutput} of ${machine} became ${change.mode} while it was on`;
    return [{ invariant: 'settings', atMs: answeredMs, sentence }];
  });
}

/** In the end, file and server have what the last answers say. */
function checkKept(facts: Facts): Violation[] {
  const { endMs } = facts;
  const now = { fromMs: endMs, untilMs: endMs };
  return facts.devices
    .filter((device) => !isTwin(device))
    .flatMap((device) => {
      const { name: machine, productLogin, outputs } = device.setup;
      const reported = reportedOutputs(facts, productLogin);
      const savedOutputs = device.card.savedOutputs;
      return outputs.flatMap((_output, numOutput) =>
        MEMBERS.flatMap((member): Violation[] => {
          const values = facts.settings.valuesOf({ machine, numOutput }, member, now);
          const is = (value: unknown): boolean => [...values].some((other) => other === value);
          const words = `${member} of output ${numOutput} of ${machine}`;
          const saved = savedOutputs[numOutput]?.[member];
          const shown = member === 'powerOn' ? undefined : reported?.[numOutput]?.[member];
          const found: Violation[] = [];
          if (!is(saved)) found.push({ invariant: 'I8', atMs: endMs, sentence: `${words} is ${saved} in the file` });
          if (shown !== undefined && !is(shown))
            found.push({ invariant: 'I11', atMs: endMs, sentence: `${words} is shown as ${shown}` });
          return found;
        }),
      );
    });
}

type Reported = { mode: unknown; pulseMs: unknown }[];

/** As the last client read them. */
function reportedOutputs(facts: Facts, productLogin: string): Reported | undefined {
  const body = lastStateOf(facts, productLogin)?.answer?.body;
  return isReported(body) ? body.outputs : undefined;
}

function isReported(body: unknown): body is { outputs: Reported } {
  return typeof body === 'object' && body !== null && 'outputs' in body && Array.isArray(body.outputs);
}

/**
 * What a fault left behind, held against the invariants: the edges of the relays, the application's calls, and the
 * commands on record. Pure; every fault test ends here.
 */
import { EXECUTION_DEADLINE_MS, RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import { DEMO_OUTPUTS } from '../device/device';
import type { Edge } from '../device/edge-log';
import type { LoggedCommand } from '../server/command-log';
import { type Excusable, type Verdict, verdictOn } from '../time/excuse';
import type { Lateness } from '../time/lateness';
import { ANSWER_SLACK_MS, PULSE_EARLY_MS, PULSE_LATE_MS, TIMER_EARLY_MS } from '../time/tolerances';
import { beginOf, lostAround } from '../time/windows';
import type { Call } from './call';

export interface Evidence {
  /** The edges of each board that the product's key drives: one, or two when its card was copied. */
  readonly boards: readonly (readonly Edge[])[];
  /** In the order in which they were sent. */
  readonly calls: readonly Call[];
  /** All of the product's commands since the first call, oldest first. */
  readonly commands: readonly LoggedCommand[];
  /** From when the guard was dead until another one was ready. */
  readonly guardDowntimes: readonly Downtime[];
  /** The server was killed, so an outcome whose answer was out may have been told to it a second time. */
  readonly serverDied: boolean;
  /** Since when the server listens: a call made before had to wait for it. */
  readonly listeningSinceMs: number;
  /** By how much the machine may have made things late. */
  readonly lateness: Pick<Lateness, 'lostMs'>;
  /** Whose waits for a processor make pulses late. */
  readonly guards: readonly number[];
  /** Whose waits make answers late: those who take part beside the test's own process. */
  readonly answering: readonly number[];
}
/** What was too late for its invariant: by how much, and what the machine had to do with it. */
interface LateTime {
  readonly what: Excusable;
  readonly verdict: Verdict;
  readonly says: string;
}
export interface Judged {
  /** Each in one line, beginning with its invariant; none when all is well. */
  readonly violations: string[];
  /** What only a late machine makes bearable, or impossible to judge. */
  readonly late: LateTime[];
}
export interface Downtime {
  readonly fromMs: number;
  readonly startedMs: number;
  readonly readyMs: number;
}

/** From sending a call to its acceptance, on a busy machine; only bounds the deadline of a call without an answer. */
const ACCEPTANCE_MS = 1_000;

const DONE = ['executed', 'confirmed-late'];
const NEVER_STARTED = ['refused', 'expired'];
const FITS_200 = ['executed', 'already-set', 'pending'];
const MISFITS_504 = ['executed', 'already-set'];

interface Command {
  readonly call: Call;
  /** Of the record; null: there is none. */
  readonly outcome: string | null;
}

interface Pulse {
  readonly output: number;
  readonly onMs: number;
  readonly offMs: number;
}

export function judged(evidence: Evidence): Judged {
  const commands = commandsOf(evidence);
  const late = [
    ...evidence.boards.flatMap((edges) => latePulses(edges, evidence)),
    ...lateAnswers(commands, evidence),
  ].filter(({ verdict }) => verdict.kind !== 'in-time');
  const violations = [
    ...late
      .filter(({ verdict }) => verdict.kind === 'late')
      .map(({ says, verdict }) => `${says}; the machine lost ${ms(verdict.lostMs)}`),
    ...evidence.boards.flatMap(wrongEdges),
    ...wrongAnswers(commands, evidence),
    ...unexplained(evidence, commands),
    ...evidence.calls
      .filter((call) => isWronglyAlready(call, evidence.boards))
      .map((call) => `I3: output ${call.numOutput} was not as "${call.wish}" wants it at ${ms(call.sentMs)}`),
  ];
  return { violations, late };
}

/** Calls with their records. A call without an answer has the first record that no other call claims. */
function commandsOf({ calls, commands }: Evidence): Command[] {
  const outcomes = new Map(commands.map(({ commandId, outcome }) => [commandId, outcome]));
  const claimed = new Set(calls.map(({ commandId }) => commandId));
  const unclaimed = commands.filter(({ commandId }) => !claimed.has(commandId));
  return calls.map((call) => {
    const outcome = call.status === null ? unclaimed.shift()?.outcome : outcomes.get(call.commandId ?? '');
    return { call, outcome: outcome ?? null };
  });
}

function wrongEdges(edges: readonly Edge[]): string[] {
  return [...DEMO_OUTPUTS.keys()].flatMap((output) => {
    const own = edges.filter((edge) => edge.output === output);
    const alternate = own.every(({ level }, n) => level === (n % 2 === 0 ? 1 : 0));
    return alternate ? [] : [`the edges of ${output} do not alternate`];
  });
}

/** I4: a pulse whose guard was killed is over when the next one is ready; how fast that is, the quiet part judges. */
function latePulses(edges: readonly Edge[], { guardDowntimes, lateness, guards }: Evidence): LateTime[] {
  return pulsesOf(edges.filter(isImpulse)).flatMap((pulse): LateTime[] => {
    const { output, onMs, offMs } = pulse;
    const pulseMs = DEMO_OUTPUTS[output]?.pulseMs ?? 0;
    const dueMs = onMs + pulseMs;
    const says = `I4: a pulse of output ${output} lasted ${ms(offMs - onMs)}`;
    const down = guardDowntimes.find(({ fromMs, startedMs }) => onMs < startedMs && fromMs < dueMs);
    const what = 'pulse';
    if (down && offMs <= down.readyMs) return [];
    // A guard is ready only behind that edge, however late the machine is, and also where the pulse was not due yet.
    if (down) return [{ what, verdict: { kind: 'late', lostMs: 0 }, says: `${says}, beyond the next guard’s start` }];
    const lateMs = offMs - dueMs - PULSE_LATE_MS;
    const end = verdictOn(what, lateMs, () => lateness.lostMs({ fromMs: dueMs, toMs: offMs }, guards));
    const earlyMs = dueMs - PULSE_EARLY_MS - offMs;
    const begin = verdictOn(what, earlyMs, () => lateness.lostMs(beginOf(pulse), guards));
    return [begin, end].map((verdict) => ({ what, verdict, says }));
  });
}

/** I6, beside what the machine lost; of a server that was just being started, since it listens. */
function lateAnswers(commands: readonly Command[], { listeningSinceMs, lateness, answering }: Evidence): LateTime[] {
  return commands.flatMap((command): LateTime[] => {
    const { status, answeredMs } = command.call;
    if (status === null) return [];
    const sentMs = Math.max(command.call.sentMs, listeningSinceMs);
    const lateMs = answeredMs - sentMs - RESPONSE_DEADLINE_MS - ANSWER_SLACK_MS;
    const lostMs = (): number => lostAround(lateness, { sentMs, answeredMs }, RESPONSE_DEADLINE_MS, answering);
    return [{ what: 'answer', verdict: verdictOn('answer', lateMs, lostMs), says: `I6: ${inWords(command)}` }];
  });
}

function inWords({ call, outcome }: Command): string {
  const { wish, numOutput, status, text, tookMs } = call;
  return `${wish} of output ${numOutput}: ${status} ${text} after ${ms(tookMs)}, on record ${outcome}`;
}

function wrongAnswers(commands: readonly Command[], { serverDied }: Evidence): string[] {
  const fits200 = serverDied ? [...FITS_200, 'confirmed-late'] : FITS_200;
  return commands.flatMap((command) => {
    const { call, outcome } = command;
    const { status, tookMs, commandId } = call;
    const what = inWords(command);
    // 500 says that it could not be recorded, and so was not sent.
    if (commandId !== null && outcome === null && status !== 500) return [`I9: ${what}`];
    if (status === 200 && !fits200.includes(outcome ?? '')) return [`I3: ${what}`];
    if (status !== 504) return [];
    const isEarly = tookMs < RESPONSE_DEADLINE_MS - TIMER_EARLY_MS;
    // I2: an early 504 is for what certainly does not start any more.
    if (isEarly && ![...NEVER_STARTED, 'unproven'].includes(outcome ?? '')) return [`I2: ${what}`];
    return MISFITS_504.includes(outcome ?? '') ? [`I10: ${what}`] : [];
  });
}

/** I1, I2, I3: each edge has a command of its own that wanted it and could still start; each done command its edge. */
function unexplained({ boards }: Evidence, commands: readonly Command[]): string[] {
  const wrong: string[] = [];
  const used = new Set<Command>();
  const pulses = boards.flatMap((edges) => pulsesOf(edges.filter(isImpulse)));
  const moves = boards.flat().filter((edge) => edge.level === 1 || !isImpulse(edge));
  for (const edge of moves.toSorted((one, other) => one.atMs - other.atMs)) {
    const [command] = commands
      .filter((candidate) => !used.has(candidate) && explains(candidate, edge))
      .toSorted((one, other) => Number(isDone(other)) - Number(isDone(one)) || latestMs(one) - latestMs(other));
    if (command) used.add(command);
    else
      wrong.push(`I1, I2: no command explains the edge to ${edge.level} of output ${edge.output} at ${ms(edge.atMs)}`);
  }
  for (const command of commands) {
    const { call, outcome } = command;
    const wasInPulse = pulses.some(
      ({ output, onMs, offMs }) => output === call.numOutput && onMs <= latestMs(command) && offMs >= call.sentMs,
    );
    const needsNone = isImpulse({ output: call.numOutput }) && (call.wish === 'set 0' || wasInPulse);
    if (isDone(command) && !used.has(command) && !needsNone)
      wrong.push(`I3: ${call.wish} of output ${call.numOutput} is ${outcome} (${call.status}) without an edge`);
  }
  return wrong;
}

/** Already set, it was told, but the output was not so at any moment of the call. */
function isWronglyAlready({ text, wish, numOutput, sentMs, answeredMs }: Call, boards: Evidence['boards']): boolean {
  if (!text.includes('already_set')) return false;
  return !boards.some((edges) => {
    const own = edges.filter(({ output, atMs }) => output === numOutput && atMs <= answeredMs);
    const before = own.findLast(({ atMs }) => atMs < sentMs)?.level ?? 0;
    const levels = [before, ...own.filter(({ atMs }) => atMs >= sentMs).map(({ level }) => level)];
    return levels.some((level) => wish === `set ${level}`);
  });
}

function isDone({ outcome }: Command): boolean {
  return DONE.includes(outcome ?? '');
}

function explains(command: Command, { output, level, atMs }: Edge): boolean {
  const { call, outcome } = command;
  if (call.numOutput !== output || outcome === null || NEVER_STARTED.includes(outcome)) return false;
  if (![200, 504, null].includes(call.status)) return false;
  return (call.wish === 'toggle' || call.wish === `set ${level}`) && call.sentMs <= atMs && atMs < latestMs(command);
}

/** Until when the command may have started. */
function latestMs({ call: { sentMs, answeredMs, status, tookMs } }: Command): number {
  // I3: before its answer.
  if (status === 200) return answeredMs;
  const acceptedMs =
    tookMs >= RESPONSE_DEADLINE_MS ? answeredMs - RESPONSE_DEADLINE_MS : Math.min(answeredMs, sentMs + ACCEPTANCE_MS);
  return acceptedMs + EXECUTION_DEADLINE_MS;
}

function isImpulse({ output }: Pick<Edge, 'output'>): boolean {
  return DEMO_OUTPUTS[output]?.mode === 'impulse';
}

/** Of one board; a relay that is still energised pulses on for ever. */
function pulsesOf(edges: readonly Edge[]): Pulse[] {
  return edges.flatMap(({ output, level, atMs }, n) => {
    if (level === 0) return [];
    const off = edges.slice(n + 1).find((later) => later.output === output);
    return [{ output, onMs: atMs, offMs: off?.atMs ?? Number.POSITIVE_INFINITY }];
  });
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

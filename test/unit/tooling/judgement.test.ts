/** The judge of all fault tests must itself be able to say no: each invariant once broken, and once held. */
import { describe, expect, test } from '@jest/globals';
import type { Edge } from '../../support/device/edge-log';
import type { Call } from '../../support/faults/call';
import { type Evidence, judged as judgedBy } from '../../support/faults/judgement';

const PULSED = 2;
const ALREADY = '{"already_set":true}';

function call(change: Partial<Call> = {}): Call {
  const { sentMs = 1_000, tookMs = 20 } = change;
  const answeredMs = sentMs + tookMs;
  return {
    numOutput: 0,
    wish: 'set 1',
    sentMs,
    answeredMs,
    tookMs,
    status: 200,
    text: 'OK',
    commandId: 'c1',
    ...change,
  };
}
const timedOut = (change: Partial<Call> = {}): Call => call({ status: 504, tookMs: 5_010, ...change });
const edge = (atMs: number, level: 0 | 1 = 1, output = 0): Edge => ({ output, level, atMs });
const recorded = (outcome: string, commandId = 'c1') => ({ commandId, productLogin: 'p', outcome });

/** The machine stood still for that long in each window that is long enough. */
const late = (ms: number): Evidence['lateness'] => ({ lostMs: ({ fromMs, toMs }) => Math.min(ms, toMs - fromMs) });

function judged(evidence: Partial<Evidence> & { edges?: Edge[] }): ReturnType<typeof judgedBy> {
  const { edges = [], ...rest } = evidence;
  const none = {
    calls: [],
    commands: [],
    guardDowntimes: [],
    serverDied: false,
    listeningSinceMs: 0,
    lateness: late(0),
    guards: [],
    answering: [],
  };
  return judgedBy({ boards: [edges], ...none, ...rest });
}

describe('nothing to complain about', () => {
  test.each<[string, Parameters<typeof judged>[0]]>([
    ['nothing happened', {}],
    ['a command and its edge', { edges: [edge(1_010)], calls: [call()], commands: [recorded('executed')] }],
    [
      'already so',
      {
        edges: [edge(1_010)],
        calls: [call(), call({ sentMs: 1_100, commandId: 'c2', text: ALREADY })],
        commands: [recorded('executed'), recorded('already-set', 'c2')],
      },
    ],
    ['a 504 that never started', { calls: [timedOut()], commands: [recorded('expired')] }],
    ['an early 504 of a refusal', { calls: [call({ status: 504 })], commands: [recorded('refused')] }],
    [
      'a 504 whose command was executed in time',
      { edges: [edge(5_490)], calls: [timedOut()], commands: [recorded('confirmed-late')] },
    ],
    [
      'a broken connection whose command was executed',
      {
        edges: [edge(1_010)],
        calls: [call({ status: null, commandId: null })],
        commands: [recorded('confirmed-late')],
      },
    ],
    [
      'a pulse, and a second command during it',
      {
        edges: [edge(1_010, 1, PULSED), edge(1_510, 0, PULSED)],
        calls: [
          call({ numOutput: PULSED }),
          call({ numOutput: PULSED, sentMs: 1_100, wish: 'toggle', commandId: 'c2' }),
          call({ numOutput: PULSED, sentMs: 1_200, wish: 'set 0', commandId: 'c3' }),
        ],
        commands: [recorded('executed'), recorded('executed', 'c2'), recorded('executed', 'c3')],
      },
    ],
    [
      'a pulse that the guard’s successor ended late',
      {
        edges: [edge(1_010, 1, PULSED), edge(2_400, 0, PULSED)],
        calls: [call({ numOutput: PULSED })],
        commands: [recorded('executed')],
        guardDowntimes: [{ fromMs: 1_200, startedMs: 1_210, readyMs: 2_450 }],
      },
    ],
    [
      'a pulse that the guard’s successor began before the test saw that it was ready',
      {
        edges: [edge(1_290, 1, PULSED), edge(1_790, 0, PULSED)],
        calls: [call({ numOutput: PULSED, sentMs: 1_000, tookMs: 300 })],
        commands: [recorded('executed')],
        guardDowntimes: [{ fromMs: 1_100, startedMs: 1_110, readyMs: 1_300 }],
      },
    ],
    [
      'an answer that the machine made late, at its beginning and at its end',
      { calls: [timedOut({ tookMs: 5_150 })], commands: [recorded('expired')], lateness: late(60) },
    ],
    [
      'a pulse that the machine made long',
      {
        edges: [edge(1_010, 1, PULSED), edge(1_555, 0, PULSED)],
        calls: [call({ numOutput: PULSED })],
        commands: [recorded('executed')],
        lateness: late(50),
      },
    ],
    [
      'an answer of a server that was just being started',
      { calls: [timedOut({ tookMs: 5_500 })], commands: [recorded('expired')], listeningSinceMs: 1_450 },
    ],
    ['a command that could not be recorded', { calls: [call({ status: 500, tookMs: 1_010 })] }],
  ])('%s', (_what, evidence) => {
    const { violations, late: times } = judged(evidence);
    expect(violations).toEqual([]);
    expect(times.map(({ verdict }) => verdict.kind).filter((kind) => kind !== 'excused')).toEqual([]);
  });
});

describe('each invariant, broken', () => {
  test.each<[string, string, Parameters<typeof judged>[0]]>([
    ['an edge that nobody asked for', 'I1', { edges: [edge(1_010)] }],
    [
      'two edges for one command',
      'I1',
      { edges: [edge(1_005), edge(1_010, 0)], calls: [call({ wish: 'toggle' })], commands: [recorded('executed')] },
    ],
    [
      'one command executed on two boards',
      'I1',
      { boards: [[edge(1_005)], [edge(1_006)]], calls: [call()], commands: [recorded('executed')] },
    ],
    [
      'an edge after the execution deadline',
      'I2',
      { edges: [edge(5_511)], calls: [timedOut()], commands: [recorded('confirmed-late')] },
    ],
    [
      'an edge of an expired command',
      'I2',
      { edges: [edge(5_000)], calls: [timedOut()], commands: [recorded('expired')] },
    ],
    [
      'an edge of a command that could not be recorded',
      'I1',
      { edges: [edge(1_010)], calls: [call({ status: 500 })], commands: [recorded('pending')] },
    ],
    ['an early 504 that may still start', 'I2', { calls: [call({ status: 504 })], commands: [recorded('unknown')] }],
    ['200 without an edge', 'I3', { calls: [call()], commands: [recorded('executed')] }],
    ['200 before its edge', 'I3', { edges: [edge(1_021)], calls: [call()], commands: [recorded('executed')] }],
    ['already set that is not so', 'I3', { calls: [call({ text: ALREADY })], commands: [recorded('already-set')] }],
    ['200 for what was refused', 'I3', { calls: [call()], commands: [recorded('refused')] }],
    [
      'a pulse that is too long',
      'I4',
      {
        edges: [edge(1_010, 1, PULSED), edge(1_570, 0, PULSED)],
        calls: [call({ numOutput: PULSED })],
        commands: [recorded('executed')],
      },
    ],
    [
      'a pulse that is too short',
      'I4',
      {
        edges: [edge(1_010, 1, PULSED), edge(1_500, 0, PULSED)],
        calls: [call({ numOutput: PULSED })],
        commands: [recorded('executed')],
      },
    ],
    [
      'a pulse that goes on when the next guard is ready',
      'I4',
      {
        edges: [edge(1_010, 1, PULSED), edge(2_600, 0, PULSED)],
        calls: [call({ numOutput: PULSED })],
        commands: [recorded('executed')],
        guardDowntimes: [{ fromMs: 1_200, startedMs: 1_210, readyMs: 2_450 }],
      },
    ],
    [
      'a pulse that the next guard lets run on to its end',
      'I4',
      {
        edges: [edge(1_010, 1, PULSED), edge(1_510, 0, PULSED)],
        calls: [call({ numOutput: PULSED })],
        commands: [recorded('executed')],
        guardDowntimes: [{ fromMs: 1_100, startedMs: 1_110, readyMs: 1_300 }],
      },
    ],
    ['an answer after 5.1 s', 'I6', { calls: [timedOut({ tookMs: 5_101 })], commands: [recorded('expired')] }],
    ['a 200 without a record', 'I9', { edges: [edge(1_010)], calls: [call()] }],
    ['a 504 on record as confirmed in time', 'I10', { calls: [timedOut()], commands: [recorded('already-set')] }],
  ])('%s', (_what, invariant, evidence) => {
    expect(judged(evidence).violations.join('\n')).toContain(invariant);
  });
});

describe('a machine that was late itself', () => {
  const pulse = (offMs: number, lateness: Evidence['lateness']) => ({
    edges: [edge(1_010, 1, PULSED), edge(offMs, 0, PULSED)],
    calls: [call({ numOutput: PULSED })],
    commands: [recorded('executed')],
    lateness,
  });
  const answer = (tookMs: number, lateness: Evidence['lateness']) => ({
    calls: [timedOut({ tookMs })],
    commands: [recorded('expired')],
    lateness,
  });
  /** It stood still then, and only then. */
  const stalled = (beganMs: number, endedMs: number): Evidence['lateness'] => ({
    lostMs: ({ fromMs, toMs }) => Math.max(0, Math.min(toMs, endedMs) - Math.max(fromMs, beganMs)),
  });

  test.each([
    ['a pulse, 60 ms late on a quiet machine', pulse(1_570, late(0)), 'late'],
    ['a pulse, 60 ms late by as much as is excused', pulse(1_570, late(50)), 'late'],
    ['a pulse, 60 ms late by a machine that lost more than is excused', pulse(1_570, late(60)), 'inconclusive'],
    ['a pulse, 60 ms late after a stall that was over when it was due', pulse(1_570, stalled(1_100, 1_500)), 'late'],
    ['a pulse, 40 ms late by a stall when it was due', pulse(1_550, stalled(1_400, 1_545)), 'excused'],
    ['an answer, 400 ms late on a quiet machine', answer(5_400, late(0)), 'late'],
    ['an answer, 400 ms late after a stall in the middle', answer(5_400, stalled(2_000, 5_900)), 'late'],
    ['an answer, 400 ms late by a stall when it was due', answer(5_400, stalled(5_900, 6_400)), 'inconclusive'],
    ['an answer, 390 ms late by a stall at its acceptance', answer(5_390, stalled(900, 1_300)), 'excused'],
  ])('%s: %s', (_what, evidence, kind) => {
    const { violations, late: times } = judged(evidence);
    expect(times.map(({ verdict }) => verdict.kind)).toEqual([kind]);
    expect(violations).toHaveLength(kind === 'late' ? 1 : 0);
  });
});

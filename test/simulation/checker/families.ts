import { REFRESH_GRACE_MS } from '../../support/time/promised-times';
import { WALL_START_MS } from '../machines/server-node';
import type { StoredCall } from '../ports/database/stored-call';
import type { Call, ClientRequest } from '../witnesses/history';
import type { Facts } from './facts';
import { Switch } from './switch';
import type { Rule, Violation } from './violation';

/** `rotatedAtMs` and the clock that it is held against are read a moment apart. */
const READS_APART_MS = 50;

type RefreshRequest = Extract<ClientRequest, { kind: 'refresh' }>;
interface AnsweredRefresh extends Call {
  request: RefreshRequest;
  arrivedMs: number;
  answeredMs: number;
}

/** I13: a refresh token has exactly one successor; its parent's holder gets it again for a while, any other reuse ends the family. */
export function checkFamilies(facts: Facts): Violation[] {
  const moves = facts.stored('rotateFamily').filter(({ result }) => result === true);
  const twice = moves.filter((move, n) => moves.slice(0, n).some((before) => isSameMove(before, move)));
  const refreshes = facts.history.calls.filter(isAnsweredRefresh);
  return [
    ...twice.map(({ atMs }): Violation => ({ invariant: 'I13', atMs, sentence: 'two tokens follow the same one' })),
    ...checkForks(refreshes),
    ...refreshes.flatMap((call) => checkRefresh(facts, moves, call)),
  ];
}

function isSameMove(one: StoredCall, other: StoredCall): boolean {
  return one.args[0] === other.args[0] && one.args[1] === other.args[1];
}

function checkForks(refreshes: readonly AnsweredRefresh[]): Violation[] {
  const successors = new Map<string, string>();
  return refreshes.flatMap(({ client, request: { familyId, generation }, answer, answeredMs }): Violation[] => {
    if (answer?.code !== 'ok' || !hasRefreshToken(answer.body)) return [];
    const { refreshToken } = answer.body;
    const known = successors.get(`${familyId} ${generation}`) ?? refreshToken;
    successors.set(`${familyId} ${generation}`, known);
    if (known === refreshToken) return [];
    const sentence = `${client}: token ${generation} of a family has two successors`;
    return [{ invariant: 'I13', atMs: answeredMs, sentence }];
  });
}

function checkRefresh(facts: Facts, allMoves: readonly StoredCall[], call: AnsweredRefresh): Violation[] {
  const { client, request, answer, arrivedMs, answeredMs } = call;
  const { familyId, generation } = request;
  const moves = allMoves.filter(({ args }) => args[0] === familyId);
  const revokedMs = facts.stored('revokeFamily').find(({ args }) => args[0] === familyId)?.atMs ?? facts.endMs;
  const isFrom = moves.filter(({ atMs }) => atMs < arrivedMs).length;
  const isUntil = moves.filter(({ atMs }) => atMs < answeredMs).length;
  const say = (invariant: Rule, sentence: string): Violation[] => [
    { invariant, atMs: answeredMs, sentence: `${client}: ${sentence}` },
  ];
  const agesMs = agesOf(facts, moves[generation], call);
  const isParent = isFrom === generation + 1;
  const isOld = isFrom > generation + 1 || (isParent && agesMs.every((ms) => ms > REFRESH_GRACE_MS + READS_APART_MS));
  if (answer?.code === 'ok') {
    if (isFrom > generation + 1) return say('I13', `token ${generation} of a family at ${isFrom} was renewed`);
    if (isOld) return say('I13', `token ${generation} was renewed long after its successor had been given`);
    return revokedMs < arrivedMs ? say('I13', 'a token of a revoked family was renewed') : [];
  }
  if (answer?.code !== 'bad-token' || !wasActive(facts, call)) return [];
  if (isOld && revokedMs > answeredMs)
    return say('I13', `an old token, ${generation} of ${isFrom}, came again and its family lives on`);
  const isReplay = isParent && isUntil === isFrom && agesMs.every((ms) => ms < REFRESH_GRACE_MS - READS_APART_MS);
  return isReplay && revokedMs > answeredMs ? say('liveness', 'a lost answer was not given again') : [];
}

/** How old the rotation may have looked by the server's wall clock at some moment of the call. */
function agesOf(
  { history }: Facts,
  move: StoredCall | undefined,
  { arrivedMs, answeredMs }: AnsweredRefresh,
): number[] {
  const rotatedAtMs = Number(move?.args[3] ?? 0);
  const jumps = history.wallJumps.filter(({ atMs }) => atMs > arrivedMs && atMs <= answeredMs);
  const before = history.wallJumps.findLast(({ atMs }) => atMs <= arrivedMs)?.jumpedMs ?? 0;
  const moments = [
    { atMs: arrivedMs, jumpedMs: before },
    ...jumps,
    { atMs: answeredMs, jumpedMs: jumps.at(-1)?.jumpedMs ?? before },
  ];
  return moments.map(({ atMs, jumpedMs }) => Math.abs(WALL_START_MS + atMs + jumpedMs - rotatedAtMs));
}

/** All the time of the call. */
function wasActive(facts: Facts, { client, arrivedMs, answeredMs }: AnsweredRefresh): boolean {
  const active = new Switch();
  for (const { args, atMs } of facts.stored('setClientActive')) {
    if (args[0] === client) active.set(atMs, args[1] === true);
  }
  return !active.wasEver(false, arrivedMs, answeredMs, true);
}

function isAnsweredRefresh(call: Call): call is AnsweredRefresh {
  return call.request.kind === 'refresh' && call.arrivedMs !== null && call.answeredMs !== null;
}

function hasRefreshToken(body: unknown): body is { refreshToken: string } {
  return typeof body === 'object' && body !== null && 'refreshToken' in body;
}

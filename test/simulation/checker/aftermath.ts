import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import type { CommandStore } from '@relaygate/server/commands/command-store';
import { type AuditText, writtenAudit } from '../../support/server/audit-chain';
import { commandsIn } from '../../support/server/command-log';
import { KEPT_COMMANDS } from '../../support/time/promised-times';
import type { Device } from '../machines/device';
import { isTwin } from '../people/faults';
import type { Edge } from '../witnesses/board-records';
import type { Call } from '../witnesses/history';
import type { Facts } from './facts';
import { isOpenAt, type Order } from './orders';
import type { Rule, Violation } from './violation';

/**
 * Timers that a program in peace may have: the server four, for its watch, its next sweeps and its next checkpoint, and one a
 * link; an agent one for each thing that it waits for, a lock and a page and a console among them; guards few.
 */
const TIMERS = { server: 6, ofLink: 2, agent: 10, guard: 3 };
/** What a write takes, where nothing is broken any more. */
const WRITTEN_WITHIN_MS = 100;

/** I8, I9, I11, I15: what is left when everything has healed. */
export async function checkAftermath(facts: Facts): Promise<Violation[]> {
  const found: Violation[] = [];
  const say = (invariant: Rule, sentence: string): void => void found.push({ invariant, atMs: facts.endMs, sentence });
  const { world } = facts;
  const storage = world.store.direct;
  const report = await verifyAudit(storage);
  for (const { text } of report.findings) say('I9', `the server finds its audit broken: ${text}`);
  const audit = writtenAudit(world.store.file);
  for (const text of audit.problems) say('I9', `the audit's chain is broken: ${text}`);
  const audited = audit.texts.flatMap(({ kind, commandId }) => (kind === 'command' ? [commandId] : []));
  for (const { record, recordedMs } of facts.commands.values()) {
    const records = audited.filter((commandId) => commandId === record.commandId).length;
    const written = recordedMs === null ? 0 : 1;
    if (records > written)
      say('I9', `the audit has ${records} of ${record.commandId}, which was written ${written} times`);
    if (recordedMs === null) continue;
    const view = await storage.findCommand(record.commandId);
    if (!view) say('I8', `${record.commandId} is not in the database any more`);
    if (view?.outcome === 'pending') say('I9', `${record.commandId} stays pending for ever`);
    if (view?.outcome === 'unknown' && isKnownToGuard(facts, record.commandId)) {
      say('I10', `${record.commandId} stays unknown, and the guard knows what became of it`);
    }
  }
  for (const text of disagreements(audit.texts, world.store.file)) say('I9', text);
  found.push(...(await checkOutcomes(facts, storage)));
  for (const [pair, isAssociated] of acknowledgedAssociations(facts)) {
    const [clientId = '', productLogin = ''] = pair.split(' ');
    if ((await storage.isAssociated(clientId, productLogin)) === isAssociated) continue;
    say(
      'I8',
      `${clientId} was told that it is ${isAssociated ? '' : 'not '}associated with ${productLogin}, and the database disagrees`,
    );
  }
  found.push(...checkLastStates(facts), ...checkLeftovers(facts));
  return found;
}

/** The audit is the evidence, and the commands' table is what is read: they say the same of each command. */
function disagreements(texts: readonly AuditText[], databaseFile: string): string[] {
  const latest = new Map<string, unknown>();
  for (const { kind, commandId, details } of texts) {
    if (commandId !== undefined && (kind === 'command' || kind === 'outcome')) latest.set(commandId, details?.outcome);
  }
  const known = new Map(commandsIn(databaseFile).map(({ commandId, outcome }) => [commandId, outcome]));
  return [...new Set([...latest.keys(), ...known.keys()])].flatMap((commandId) => {
    const [audited, read] = [latest.get(commandId), known.get(commandId)];
    return audited === read ? [] : [`${commandId} is ${audited} in the audit, and ${read} among the commands`];
  });
}

/** I8: the outcome that was written last is there. */
async function checkOutcomes(facts: Facts, storage: Pick<CommandStore, 'findCommand'>): Promise<Violation[]> {
  const written = new Map<string, string>();
  for (const { args, result } of facts.stored('recordOutcome')) {
    const [outcome] = args;
    if (result === true && isOutcome(outcome)) written.set(outcome.commandId, outcome.outcome);
  }
  const found: Violation[] = [];
  for (const [commandId, outcome] of written) {
    const view = await storage.findCommand(commandId);
    if (view === undefined || view.outcome === outcome) continue;
    const sentence = `the outcome ${outcome} of ${commandId} was written, and the database has ${view.outcome}`;
    found.push({ invariant: 'I8', atMs: facts.endMs, sentence });
  }
  return found;
}

function isOutcome(value: unknown): value is { commandId: string; outcome: string } {
  return typeof value === 'object' && value !== null && 'commandId' in value && 'outcome' in value;
}

/** The guard that said so still runs, so it was asked at the latest after the last faults, and has had room for it. */
function isKnownToGuard(facts: Facts, commandId: string): boolean {
  const { verdicts, settled } = facts.history;
  const verdict = verdicts.find((v) => v.commandId === commandId);
  if (!verdict) return false;
  const since = settled.filter(({ machine, atMs }) => machine === verdict.machine && atMs > verdict.atMs);
  if (since.length >= KEPT_COMMANDS) return false;
  const device = facts.device(verdict.machine);
  const life = facts.livesOf(device.guard.name).at(-1);
  return !isTwin(device) && life !== undefined && life.untilMs === null && life.fromMs <= verdict.atMs;
}

/** By client and product: what was acknowledged last, where nothing was asked afterwards. */
function acknowledgedAssociations({ history }: Facts): Map<string, boolean> {
  const known = new Map<string, boolean>();
  const open: { pair: string; startMs: number; endMs: number | null }[] = [];
  for (const { client, request, answeredMs, answer, startMs } of history.calls) {
    if (request.kind !== 'associate' && request.kind !== 'dissociate') continue;
    const pair = `${client} ${request.productLogin}`;
    const overlaps = open.some((other) => other.pair === pair && (other.endMs === null || other.endMs > startMs));
    open.push({ pair, startMs, endMs: answeredMs });
    if (answer?.code === 'ok' && !overlaps) known.set(pair, request.kind === 'associate');
    else known.delete(pair);
  }
  return known;
}

/** I11: the last state that was read is that of the relays, and says that the link is up. */
function checkLastStates(facts: Facts): Violation[] {
  return facts.devices.flatMap((device): Violation[] => {
    const { productLogin, outputs } = device.setup;
    if (isTwin(device)) return [];
    const last = facts.history.calls.findLast((call) => call.client === 'client-last' && isStateOf(call, productLogin));
    const body = last?.answer?.body;
    if (!last || !isState(body) || last.answeredMs === null) return [];
    const { answeredMs } = last;
    const say = (sentence: string): Violation => ({
      invariant: 'I11',
      atMs: answeredMs,
      sentence: `${productLogin}: ${sentence}`,
    });
    if (!body.connected) return [say('switched a moment ago, and shown as not connected')];
    return body.outputs.flatMap(({ numOutput, state, confirmedBy }) => {
      const problem = problemOfProof(device, numOutput, confirmedBy);
      if (problem !== null) return [say(problem)];
      const edges = facts.edgesOf(productLogin, numOutput);
      const isActive = edges.findLast(({ atMs }) => atMs <= answeredMs)?.active ?? false;
      const isMoving = edges.some(({ atMs }) => Math.abs(atMs - answeredMs) < 500);
      if (isMoving || state === (isActive ? 1 : 0)) return [];
      if (edges.at(-1)?.cause === 'drop' && !isAskedSince(facts, edges)) return [];
      return [
        say(
          `output ${numOutput} is shown as ${state}, and the relay is ${isActive ? 'on' : 'off'} (${outputs[numOutput]?.mode})`,
        ),
      ];
    });
  });
}

/** It was switched a moment ago: output 0 is known as its board tells it. */
function problemOfProof({ setup: { reads } }: Device, numOutput: number, confirmedBy: string | null): string | null {
  const isWrong = reads === 'nothing' ? numOutput === 0 && confirmedBy !== 'write' : confirmedBy === 'write';
  return isWrong ? `output ${numOutput} is confirmed by ${confirmedBy}, and its board reads ${reads}` : null;
}

/**
 * Whether, since the relay lost its supply, a guard has started, had to look at it for an order, or been told of it for one. An
 * order that came to nothing may have been refused before a look, or given up during one.
 */
function isAskedSince({ history, orders }: Facts, edges: readonly Edge[]): boolean {
  const drop = edges.at(-1);
  if (!drop) return true;
  const isIt = ({ machine, atMs }: { machine: string; atMs: number }): boolean =>
    machine === drop.machine && atMs > drop.atMs;
  const ofIt = orders.filter(({ machine, numOutput }) => machine === drop.machine && numOutput === drop.output);
  const isOrdered = ofIt.some((order) => isIt(order) && !cameToNothing(order));
  const isRead = history.lineLooks.some(
    (look) =>
      isIt(look) && look.output === drop.output && !look.active && ofIt.some((order) => isOpenAt(order, look.atMs)),
  );
  return isOrdered || isRead || history.guardStarts.some(isIt);
}

function cameToNothing({ verdict }: Order): boolean {
  return verdict?.outcome === 'refused' || verdict?.outcome === 'expired';
}

/** I15. */
function checkLeftovers({ world, history, devices, endMs }: Facts): Violation[] {
  const found: Violation[] = [];
  const linked = devices.filter(({ hasPower }) => hasPower).length;
  const say = (sentence: string): void => void found.push({ invariant: 'I15', atMs: endMs, sentence });
  if (world.server.sessions > linked) say(`${world.server.sessions} links are open for ${linked} devices`);
  const mostOf = (name: string): number => {
    if (name === 'server') return TIMERS.server + TIMERS.ofLink * linked + timersOfWrites(history.writes, endMs);
    return name.startsWith('agent') ? TIMERS.agent : TIMERS.guard;
  };
  for (const [name, life] of world.processes) {
    if (life.isAlive && life.timers > mostOf(name)) say(`${name} has ${life.timers} timers left`);
  }
  return found;
}

/** A write that is on its way waits for its group, and it is looked whether its thread hangs. */
function timersOfWrites(writes: Facts['history']['writes'], endMs: number): number {
  return writes.some(({ settledMs, askedMs }) => settledMs === null && askedMs > endMs - WRITTEN_WITHIN_MS) ? 2 : 0;
}

function isStateOf({ request }: Call, productLogin: string): boolean {
  return request.kind === 'state' && request.productLogin === productLogin;
}

interface State {
  connected: boolean;
  outputs: { numOutput: number; state: 0 | 1 | null; confirmedBy: string | null }[];
}

function isState(body: unknown): body is State {
  return typeof body === 'object' && body !== null && 'connected' in body && 'outputs' in body;
}

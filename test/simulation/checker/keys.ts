import type { Command, DriveCall, Facts } from './facts';
import { checkKeyLife, type KeyLife, keyLivesOf, keyOf } from './key-lives';
import type { Violation } from './violation';

/** A key stands for at most one execution, and whoever asks again is told of that one. */
export function checkKeys(facts: Facts): Violation[] {
  const lives = keyLivesOf(facts);
  return [
    ...lives.flatMap((life) => checkKeyLife(facts, life)),
    ...[...facts.commands.values()].flatMap((command) => checkAsked(facts, command)),
    ...facts.driveCalls.flatMap((call) => checkAnswer(facts, lives, call)),
  ];
}

/** Whatever the server takes for a client, that client asks for then, under that key or none. */
function checkAsked({ driveCalls }: Facts, command: Command): Violation[] {
  const { record, takenMs } = command;
  const isAsked = driveCalls.some(
    (call) =>
      call.client === record.clientId &&
      call.request.key === keyOf(command) &&
      isSameRequest(call, command) &&
      isOpenIn(call, takenMs, takenMs),
  );
  if (isAsked) return [];
  const under = keyOf(command) ?? 'no key';
  return [{ invariant: 'key', atMs: takenMs, sentence: `nobody asked for ${record.commandId} under ${under}` }];
}

function checkAnswer(facts: Facts, lives: readonly KeyLife[], call: DriveCall): Violation[] {
  const { client, request, arrivedMs, answeredMs, answer } = call;
  const { key } = request;
  if (key === undefined || arrivedMs === null || answeredMs === null || !answer) return [];
  const own = lives.filter((life) => life.clientId === client && life.key === key);
  const objection = objectionTo(facts, own, { ...call, arrivedMs, answeredMs }, answer);
  if (objection === null) return [];
  const sentence = `${client} asked again under ${key} and was told ${JSON.stringify(answer)}: ${objection}`;
  return [{ invariant: 'key', atMs: answeredMs, sentence }];
}

type Answered = DriveCall & { arrivedMs: number; answeredMs: number };

function objectionTo(
  facts: Facts,
  lives: readonly KeyLife[],
  call: Answered,
  { code, commandId, isReplayed }: NonNullable<DriveCall['answer']>,
): string | null {
  const { arrivedMs, answeredMs } = call;
  switch (code) {
    case 'ok':
    case 'already-set':
    case 'device-timeout': {
      const command = commandId === undefined ? undefined : facts.commands.get(commandId);
      if (!command) return 'no command has this id';
      if (command.record.clientId !== call.client || keyOf(command) !== call.request.key) return 'it is of another key';
      if (!isSameRequest(call, command)) return 'it asks for something else';
      if (!isReplayed) return command.takenMs >= arrivedMs ? null : 'it was there before, and no header says so';
      return objectionToReplay(facts, lives, call, { code, command });
    }
    case 'idempotency-key-reused':
      return isKnownOtherwise(facts, lives, call) ? null : 'the key stood for no other request';
    case 'request-already-pending': {
      const standing = standingAt(facts, lives, call);
      if (standing?.isOver) return `${standing.command.record.commandId} was on record`;
      const holders = [...facts.commands.values()].filter(
        (one) =>
          one.record.productLogin === call.request.productLogin && one.takenMs <= answeredMs && one.freeMs >= arrivedMs,
      );
      const isOther = ({ record, ...rest }: Command): boolean =>
        record.clientId !== call.client || keyOf({ record, ...rest }) !== call.request.key;
      return holders.length === 0 || holders.some(isOther) ? null : 'only its own command was at work';
    }
    default:
      return null;
  }
}

function objectionToReplay(
  facts: Facts,
  lives: readonly KeyLife[],
  { arrivedMs, answeredMs }: Answered,
  { code, command }: { code: string; command: Command },
): string | null {
  const { record, recordedMs, edges } = command;
  const { commandId } = record;
  if (recordedMs === null || recordedMs > answeredMs) return 'nothing of it is on record';
  const life = lives.find(({ commands }) => commands.includes(command));
  const newest = life?.commands.findLast((one) => (one.recordedMs ?? answeredMs) < arrivedMs);
  if (newest && (newest.recordedMs ?? 0) > recordedMs) return `${newest.record.commandId} is newer`;
  const verdicts = facts.history.verdicts.filter((said) => said.commandId === commandId && said.atMs <= answeredMs);
  const isWorked = verdicts.some(({ outcome }) => outcome === 'executed' || outcome === 'already-set');
  const isSet = verdicts.some(({ outcome }) => outcome === 'already-set');
  if (code === 'ok') return isWorked ? null : 'no guard had said so';
  if (code === 'already-set') return isSet ? null : 'no guard had said so';
  if (edges.some(({ orderedMs }) => orderedMs > answeredMs)) return 'it moved afterwards';
  return isDoneBy(facts, commandId, arrivedMs) ? 'the audit knew that it is done' : null;
}

/** The audit has it as what a repetition is told 200 for. */
function isDoneBy(facts: Facts, commandId: string, byMs: number): boolean {
  return facts.stored('recordOutcome').some(({ atMs, args, result }) => {
    const [written] = args as [{ commandId: string; outcome: string }];
    return atMs < byMs && result === true && written.commandId === commandId && DONE.has(written.outcome);
  });
}

const DONE: ReadonlySet<string> = new Set(['executed', 'already-set', 'confirmed-late']);

/** The command that the key stood for when the request came; `isOver`: it was answered, and nothing may take its place. */
function standingAt(
  facts: Facts,
  lives: readonly KeyLife[],
  { arrivedMs }: Answered,
): { command: Command; isOver: boolean } | undefined {
  const commands = lives.flatMap((life) => life.commands);
  const command = commands.findLast(({ recordedMs }) => recordedMs !== null && recordedMs < arrivedMs);
  return command && { command, isOver: isDoneBy(facts, command.record.commandId, arrivedMs) };
}

/** It stood for another request meanwhile, or one was at work. */
function isKnownOtherwise(facts: Facts, lives: readonly KeyLife[], call: Answered): boolean {
  const { arrivedMs, answeredMs } = call;
  const onRecord = lives
    .flatMap(({ commands }) => commands)
    .some((command) => (command.recordedMs ?? answeredMs) < answeredMs && !isSameRequest(call, command));
  return (
    onRecord ||
    facts.driveCalls.some(
      (other) =>
        other.client === call.client &&
        other.request.key === call.request.key &&
        requestOf(other) !== requestOf(call) &&
        isOpenIn(other, arrivedMs, answeredMs),
    )
  );
}

function isOpenIn({ arrivedMs, answeredMs }: DriveCall, fromMs: number, untilMs: number): boolean {
  return arrivedMs !== null && arrivedMs <= untilMs && (answeredMs === null || answeredMs >= fromMs);
}

function isSameRequest(call: DriveCall, { record }: Command): boolean {
  const { productLogin, numOutput, action, state } = record;
  return requestOf(call) === JSON.stringify([productLogin, numOutput, action, state]);
}

function requestOf({ request }: DriveCall): string {
  const { productLogin, numOutput, kind } = request;
  return JSON.stringify([productLogin, numOutput, kind, kind === 'set' ? request.state : null]);
}

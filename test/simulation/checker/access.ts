import type { StoredCall } from '../ports/database/stored-call';
import type { Call } from '../witnesses/history';
import type { Facts } from './facts';
import { Switch } from './switch';
import type { Rule, Violation } from './violation';

/** I13 allows 1 s; reads and the way to the socket come on top. */
const REVOKED_WITHIN_MS = 1_000;
const READS_MS = 20;

/** I7, I13: who may do what at which time, as the database had it, beside what was done. */
export function checkAccess(facts: Facts): Violation[] {
  const rights = new Rights(facts);
  return [
    ...checkCommands(facts, rights),
    ...checkSent(facts, rights),
    ...facts.history.calls.flatMap((call) => checkCall(facts, rights, call)),
  ];
}

/** What the operator and the clients have switched on and off. */
class Rights {
  readonly #switches = new Map<string, Switch>();

  constructor(facts: Facts) {
    const set = (key: string, { atMs }: StoredCall, isOn: boolean): void => this.#of(key).set(atMs, isOn);
    for (const call of facts.history.stored) {
      const [first, second, third] = call.args;
      if (call.result === false) continue;
      if (call.name === 'associate') set(`association ${first} ${second}`, call, true);
      if (call.name === 'dissociate') set(`association ${first} ${second}`, call, false);
      if (call.name === 'setClientActive') set(`client ${first}`, call, second === true);
      if (call.name === 'setProductActivated') set(`product ${first}`, call, second === true);
      if (call.name === 'setOutputActivated') set(`output ${first} ${second}`, call, third === true);
    }
  }

  /** Whether the client might have driven the output at some moment of this time. */
  mayDrive(
    who: { clientId: string; productLogin: string; numOutput: number },
    fromMs: number,
    untilMs: number,
  ): boolean {
    const { clientId, productLogin, numOutput } = who;
    return this.#momentOf(fromMs, untilMs, [
      ...this.#keysOf(clientId, productLogin),
      { key: `product ${productLogin}`, byDefault: true },
      { key: `output ${productLogin} ${numOutput}`, byDefault: true },
    ]);
  }

  maySee(clientId: string, productLogin: string, fromMs: number, untilMs: number): boolean {
    return this.#momentOf(fromMs, untilMs, this.#keysOf(clientId, productLogin));
  }

  /** All of the time. */
  mustSee(clientId: string, productLogin: string, fromMs: number, untilMs: number): boolean {
    return this.#keysOf(clientId, productLogin).every(
      ({ key, byDefault }) => !this.#of(key).wasEver(false, fromMs, untilMs, byDefault),
    );
  }

  isActive(clientId: string, fromMs: number, untilMs: number): boolean {
    return this.#momentOf(fromMs, untilMs, [{ key: `client ${clientId}`, byDefault: true }]);
  }

  /** Whether the client might have been refused: at some moment one of the rights was missing. */
  mayBeRefused(
    who: { clientId: string; productLogin: string; numOutput: number },
    fromMs: number,
    untilMs: number,
  ): boolean {
    const { clientId, productLogin, numOutput } = who;
    const keys = [
      `association ${clientId} ${productLogin}`,
      `client ${clientId}`,
      `product ${productLogin}`,
      `output ${productLogin} ${numOutput}`,
    ];
    return keys.some((key) => this.#of(key).wasEver(false, fromMs, untilMs, !key.startsWith('association')));
  }

  #keysOf(clientId: string, productLogin: string): { key: string; byDefault: boolean }[] {
    return [
      { key: `association ${clientId} ${productLogin}`, byDefault: false },
      { key: `client ${clientId}`, byDefault: true },
    ];
  }

  /** All of them at one moment. */
  #momentOf(fromMs: number, untilMs: number, rights: { key: string; byDefault: boolean }[]): boolean {
    const switches = rights.map(({ key, byDefault }) => ({ right: this.#of(key), byDefault }));
    const moments = [
      fromMs,
      ...switches.flatMap(({ right }) => right.changesMs.filter((ms) => ms > fromMs && ms <= untilMs)),
    ];
    return moments.some((ms) => switches.every(({ right, byDefault }) => right.at(ms, byDefault)));
  }

  #of(key: string): Switch {
    const known = this.#switches.get(key) ?? new Switch();
    this.#switches.set(key, known);
    return known;
  }
}

function checkCommands(facts: Facts, rights: Rights): Violation[] {
  return [...facts.commands.values()].flatMap(({ record, takenMs, call }): Violation[] => {
    const arrivedMs =
      call?.arrivedMs ??
      facts.driveCalls.findLast((c) => c.client === record.clientId && c.arrivedMs !== null && c.arrivedMs <= takenMs)
        ?.arrivedMs;
    if (arrivedMs == null)
      return [{ invariant: 'I7', atMs: takenMs, sentence: `nobody asked for ${record.commandId}` }];
    if (rights.mayDrive(record, arrivedMs, takenMs)) return [];
    const invariant = wasAllowedBefore(rights, record, arrivedMs) ? 'I13' : 'I7';
    return [
      {
        invariant,
        atMs: takenMs,
        sentence: `${record.clientId} drove ${record.productLogin}/${record.numOutput} without the right to`,
      },
    ];
  });
}

function wasAllowedBefore(
  rights: Rights,
  who: { clientId: string; productLogin: string; numOutput: number },
  beforeMs: number,
): boolean {
  return rights.mayDrive(who, 0, beforeMs);
}

/** Rights are read anew before a command that has waited is sent. */
function checkSent(facts: Facts, rights: Rights): Violation[] {
  const reads = facts.stored('readAccess');
  return facts.history.sent.flatMap(({ commandId, atMs }): Violation[] => {
    const record = facts.commands.get(commandId)?.record;
    const sinceMs = facts.workedSince('server', ['stall', 'storage'], atMs, REVOKED_WITHIN_MS + READS_MS);
    if (!record) return [];
    const what = [record.clientId, record.productLogin, record.numOutput];
    const isRead = reads.some(
      ({ args, atMs: readMs }) => readMs >= sinceMs && readMs <= atMs && what.every((part, n) => args[n] === part),
    );
    if (!isRead) return [{ invariant: 'I13', atMs, sentence: `${commandId} was sent on rights not read for it` }];
    if (rights.mayDrive(record, sinceMs, atMs)) return [];
    return [{ invariant: 'I13', atMs, sentence: `${commandId} was sent though its client may not do it any more` }];
  });
}

function checkCall(facts: Facts, rights: Rights, call: Call): Violation[] {
  const { request, arrivedMs, answer, client } = call;
  if (arrivedMs === null || !answer) return [];
  const untilMs = call.answeredMs ?? facts.endMs;
  const say = (invariant: Rule, sentence: string): Violation[] => [
    { invariant, atMs: untilMs, sentence: `${client}: ${sentence}` },
  ];
  const isSuccess = answer.code === 'ok' || answer.code === 'already-set';
  if (isSuccess && !rights.isActive(client, arrivedMs, untilMs))
    return say('I13', `${request.kind} worked for a deactivated client`);
  switch (request.kind) {
    case 'state':
      if (isSuccess && !rights.maySee(client, request.productLogin, arrivedMs, untilMs))
        return say('I7', `was shown ${request.productLogin}`);
      return [];
    case 'status': {
      const command = facts.commands.get(request.commandId);
      if (!command) return isSuccess ? say('I7', `was shown ${request.commandId}, which nobody gave`) : [];
      const { clientId, productLogin, commandId } = command.record;
      const isOwn = clientId === client;
      if (isSuccess && !(isOwn && rights.maySee(client, productLogin, arrivedMs, untilMs)))
        return say('I7', `was shown ${commandId} of ${clientId} on ${productLogin}`);
      const isKnown = command.recordedMs !== null && command.recordedMs < arrivedMs;
      const mustSee = isOwn && isKnown && rights.mustSee(client, productLogin, arrivedMs, untilMs);
      return answer.code === 'not-found' && mustSee ? say('liveness', `was not shown ${commandId}, its own`) : [];
    }
    case 'set':
    case 'toggle': {
      const who = { clientId: client, productLogin: request.productLogin, numOutput: request.numOutput };
      const isRefused = answer.code === 'user-not-allowed' || answer.code === 'product-not-found';
      if (isRefused && !rights.mayBeRefused(who, arrivedMs, untilMs))
        return say('liveness', `was refused what it may do (${answer.code})`);
      return [];
    }
    default:
      return [];
  }
}

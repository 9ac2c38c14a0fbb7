import type { Actions } from '@relaygate/server/actions';
import { hashClientKey, newClientKey } from '@relaygate/server/clients/client-key';
import { underKey } from '@relaygate/server/http/idempotency-key';
import { RelaygateError, type TokenPair } from '@relaygate/shared';
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { World } from '../machines/world';
import type { PlannedCall } from '../plan/plan';
import type { Call, CallAnswer, ClientRequest } from '../witnesses/history';

export interface ProductKeys {
  productLogin: string;
  productKey: string;
}

const GIVE_UP_MS = 9_000;
/** Answers in a hundred that a mobile network loses. */
const LOST_PERCENT = 4;
/** The same of answers to requests with a key, for the sake of which they have one. */
const LOST_WITH_KEY_PERCENT = 25;
const REFRESH_FORMAT = /^rgr_([0-9a-f]{32})_([0-9]+)_/;

/** One application: calls the server's actions over a network of its own, and remembers what it was told. */
export class Client {
  readonly clientId: string;
  readonly #world: World;
  readonly #chance: SeededChance;
  /** Of requests with a key, so that the others stay as they were before there were any. */
  readonly #chanceOfKeys: SeededChance;
  readonly #key: { keyId: string; clientKey: string };
  readonly #products: readonly ProductKeys[];
  readonly #losesAnswers: boolean;
  /** It keeps a connection open from one request to the next. */
  readonly #isConnected: boolean;
  #accessToken: string | null = null;
  /** Newest last. */
  #refreshTokens: string[] = [];
  #lastCommandId: string | null = null;

  constructor(world: World, clientId: string, products: readonly ProductKeys[], losesAnswers: boolean) {
    this.#world = world;
    this.clientId = clientId;
    this.#products = products;
    this.#losesAnswers = losesAnswers;
    this.#chance = world.chance.fork(`client ${clientId}`);
    this.#chanceOfKeys = world.chance.fork(`keys ${clientId}`);
    this.#isConnected = world.chance.fork(`connection ${clientId}`).pick(true, false);
    this.#key = newClientKey(this.#chance);
  }

  /** As the operator makes it. */
  async create(): Promise<void> {
    const { keyId, clientKey } = this.#key;
    const { clientId } = this;
    const keyHash = hashClientKey(clientKey);
    await this.#world.store.direct.createClient({
      clientId,
      name: clientId,
      keyId,
      keyHash,
      createdAtMs: this.#world.server.epochMs(),
    });
  }

  async perform(call: PlannedCall): Promise<CallAnswer | null> {
    switch (call.kind) {
      case 'login':
        return this.#login();
      case 'refresh':
        return this.#refresh(this.#refreshTokens.at(-1));
      case 'refresh-old':
        return this.#refresh(this.#refreshTokens.at(-1 - call.generationsBack));
      case 'set':
      case 'toggle':
        return this.#insist(call);
      default:
        return this.#authorised(call);
    }
  }

  /** The answer to the last of its requests. */
  async #insist(call: Extract<PlannedCall, { kind: 'set' | 'toggle' }>): Promise<CallAnswer | null> {
    let answer = await this.#authorised(call);
    for (const againMs of call.againMs ?? []) {
      await new Promise<void>((resolve) => void this.#world.scheduler.in(againMs, resolve));
      answer = await this.#authorised(call);
    }
    return answer;
  }

  async #authorised(
    call: Exclude<PlannedCall, { kind: 'login' | 'refresh' | 'refresh-old' }>,
  ): Promise<CallAnswer | null> {
    if (this.#accessToken === null) await this.#login();
    const token = this.#accessToken;
    if (token === null) return null;
    const request = this.#requestOf(call);
    const answer = await this.#call(request, (actions) => this.#run(actions, token, call, request));
    if (answer?.code === 'bad-token') {
      this.#accessToken = null;
      await this.#refresh(this.#refreshTokens.at(-1));
    }
    if (answer?.commandId !== undefined) this.#lastCommandId = answer.commandId;
    return answer;
  }

  async #login(): Promise<CallAnswer | null> {
    const answer = await this.#call({ kind: 'login' }, async (actions) => {
      return { code: 'ok', body: await actions.login(this.#key.clientKey, this.clientId) };
    });
    if (answer?.code === 'ok') this.#refreshTokens = [];
    this.#keep(answer);
    return answer;
  }

  async #refresh(refreshToken: string | undefined): Promise<CallAnswer | null> {
    const [, familyId, generation] = REFRESH_FORMAT.exec(refreshToken ?? '') ?? [];
    if (refreshToken === undefined || familyId === undefined) return this.#login();
    const request: ClientRequest = { kind: 'refresh', familyId, generation: Number(generation) };
    const answer = await this.#call(request, async (actions) => {
      return {
        code: 'ok',
        body: await actions.refresh({ refreshToken, clientKey: undefined, address: this.clientId }),
      };
    });
    this.#keep(answer);
    if (answer?.code === 'bad-token') this.#accessToken = null;
    return answer;
  }

  #keep(answer: CallAnswer | null): void {
    if (answer?.code !== 'ok' || !isTokenPair(answer.body)) return;
    const { accessToken, refreshToken } = answer.body;
    this.#accessToken = accessToken;
    if (this.#refreshTokens.at(-1) !== refreshToken) this.#refreshTokens.push(refreshToken);
  }

  #requestOf(call: Exclude<PlannedCall, { kind: 'login' | 'refresh' | 'refresh-old' }>): ClientRequest {
    if (call.kind === 'status') return { kind: 'status', commandId: this.#commandIdOf(call.of) ?? 'none' };
    const productLogin = this.#products[call.product]?.productLogin ?? 'none';
    switch (call.kind) {
      case 'set':
        return { kind: 'set', productLogin, numOutput: call.numOutput, state: call.state, ...keyOf(call) };
      case 'toggle':
        return { kind: 'toggle', productLogin, numOutput: call.numOutput, ...keyOf(call) };
      default:
        return { kind: call.kind, productLogin };
    }
  }

  /** As if the other one had told it. */
  #commandIdOf(client: number | undefined): string | null {
    if (client === undefined) return this.#lastCommandId;
    const last = this.#world.history.calls.findLast(
      ({ client: name, answer }) => name === `client-${client}` && answer?.commandId !== undefined,
    );
    return last?.answer?.commandId ?? null;
  }

  async #run(
    actions: Actions,
    token: string,
    call: Exclude<PlannedCall, { kind: 'login' | 'refresh' | 'refresh-old' }>,
    request: ClientRequest,
  ): Promise<CallAnswer> {
    const clientId = await actions.clientOf(token);
    if (request.kind === 'status')
      return { code: 'ok', body: await actions.commandStatus(clientId, request.commandId) };
    if (call.kind === 'status') throw new Error('a status is asked for by its own request');
    const { productLogin = 'none', productKey = 'none' } = this.#products[call.product] ?? {};
    switch (call.kind) {
      case 'associate':
        await actions.associate({ clientId, productLogin, productKey, address: this.clientId });
        return { code: 'ok' };
      case 'dissociate':
        await actions.dissociate(clientId, productLogin);
        return { code: 'ok' };
      case 'state':
        return { code: 'ok', body: await actions.productState(clientId, productLogin) };
      case 'set':
      case 'toggle': {
        const action = call.kind === 'set' ? { action: call.kind, state: call.state } : { action: call.kind };
        const { numOutput, key } = call;
        const answer = await actions.drive(underKey({ clientId, productLogin, numOutput, action }, key));
        const { commandId, isReplayed } = answer;
        const code = answer.kind === 'error' ? answer.code : answer.kind;
        return { code, commandId, ...(isReplayed && { isReplayed }) };
      }
      default:
        return call satisfies never;
    }
  }

  /** Null: no answer came, for whatever reason. */
  #call(request: ClientRequest, run: (actions: Actions) => Promise<CallAnswer>): Promise<CallAnswer | null> {
    const { scheduler, history, server } = this.#world;
    const hasKey = 'key' in request;
    const chance = hasKey ? this.#chanceOfKeys : this.#chance;
    const call: Call = {
      client: this.clientId,
      request,
      startMs: scheduler.nowMs,
      arrivedMs: null,
      answeredMs: null,
      receivedMs: null,
      answer: null,
    };
    history.calls.push(call);
    this.#world.trace(() => `${this.clientId} asks ${JSON.stringify(request)}`);
    return new Promise((resolve) => {
      let isOver = false;
      const end = (answer: CallAnswer | null): void => {
        if (isOver) return;
        isOver = true;
        if (answer) call.receivedMs = scheduler.nowMs;
        this.#world.trace(
          () =>
            `${this.clientId} ${answer ? `hears ${JSON.stringify(answer)}` : 'hears nothing'} of ${JSON.stringify(request)}`,
        );
        resolve(answer);
      };
      const later = (run: () => void): void => void scheduler.in(2 + chance.fraction() * 40, run);
      scheduler.in(GIVE_UP_MS, () => end(null));
      later(() => {
        const { listening } = server;
        // A server that stops closes what is idle, and takes a request that was on its way if it still answers others.
        const isRefused = (): boolean => {
          if (!listening) return true;
          const { stoppingSinceMs, requests } = listening;
          const isBegun = this.#isConnected && requests.running > 0 && call.startMs <= (stoppingSinceMs ?? 0);
          return stoppingSinceMs !== null && !isBegun;
        };
        if (!listening || isRefused()) return later(() => end(null));
        listening.life.onDeath(() => later(() => end(null)));
        listening.life.deliver(() => {
          if (isRefused()) return later(() => end(null));
          listening.requests.enter();
          call.arrivedMs = scheduler.nowMs;
          void answerOf(
            () => run(listening.actions),
            (error) => this.#world.uncaught('server', error),
          ).then((answer) => {
            if (!listening.life.isAlive) return;
            listening.requests.leave();
            call.answeredMs = scheduler.nowMs;
            call.answer = answer;
            const lostPercent = hasKey ? LOST_WITH_KEY_PERCENT : LOST_PERCENT;
            if (this.#losesAnswers && chance.fraction() * 100 < lostPercent) return;
            later(() => end(answer));
          });
        });
      });
    });
  }
}

function keyOf({ key }: { key?: string }): { key?: string } {
  return key === undefined ? {} : { key };
}

async function answerOf(run: () => Promise<CallAnswer>, unexpected: (error: unknown) => void): Promise<CallAnswer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RelaygateError) return { code: error.code };
    unexpected(error);
    return { code: 'uncaught' };
  }
}

function isTokenPair(body: unknown): body is TokenPair {
  return typeof body === 'object' && body !== null && 'accessToken' in body && 'refreshToken' in body;
}

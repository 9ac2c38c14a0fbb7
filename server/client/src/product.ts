import { type Answer, commandIdOf, membersOf } from './answer';
import type { CommandPage, CommandResult, OutputState, OutputStatus, ProductState } from './api-types';
import { type CallOptions, type CommandListOptions, type CommandOptions, checkedKey } from './options';
import { newIdempotencyKey } from './platform';
import { RelaygateError } from './relaygate-error';
import { type Requests, withQuery } from './requests';

const MAX_NUM_OUTPUT = 999;

/** A product that the client is associated with. */
export class Product {
  readonly productLogin: string;
  readonly #requests: Requests;
  readonly #path: string;

  constructor(requests: Requests, productLogin: string) {
    this.productLogin = productLogin;
    this.#requests = requests;
    this.#path = pathOf(productLogin);
  }

  /** `numOutput` counts from 0. */
  output(numOutput: number): Output {
    if (!Number.isInteger(numOutput) || numOutput < 0 || numOutput > MAX_NUM_OUTPUT)
      throw new TypeError(`numOutput must be a whole number, 0 to ${MAX_NUM_OUTPUT}`);
    return new Output(this.#requests, this, `${this.#path}/outputs/${numOutput}`, numOutput);
  }

  /** Last known, never live. */
  state(options?: CallOptions): Promise<ProductState> {
    return this.#requests.read(`${this.#path}/state`, options);
  }

  /** This client's commands to it, newest first. */
  commands(options: CommandListOptions = {}): Promise<CommandPage> {
    return this.#requests.read(withQuery(`${this.#path}/commands`, options), options);
  }
}

export class Output {
  readonly numOutput: number;
  readonly #requests: Requests;
  readonly #product: Product;
  readonly #path: string;

  constructor(requests: Requests, product: Product, path: string, numOutput: number) {
    this.#requests = requests;
    this.#product = product;
    this.#path = path;
    this.numOutput = numOutput;
  }

  /** On-off: 1 activates, 0 deactivates. Impulse: 1 gives a pulse, 0 does nothing. Resolves when the device has confirmed. */
  async set(state: OutputState, options?: CommandOptions): Promise<CommandResult> {
    return this.#command('PATCH', this.#path, options, { state });
  }

  /** On-off: the other state. Impulse: a pulse. Resolves when the device has confirmed. */
  async toggle(options?: CommandOptions): Promise<CommandResult> {
    return this.#command('POST', `${this.#path}/toggle`, options);
  }

  /** Last known, never live; undefined if the product has no such output. */
  async state(options?: CallOptions): Promise<OutputStatus | undefined> {
    const { outputs } = await this.#product.state(options);
    return outputs.find(({ numOutput }) => numOutput === this.numOutput);
  }

  /** Every try has the same key, so that the server executes one of them at most. */
  async #command(method: string, path: string, options: CommandOptions = {}, body?: object): Promise<CommandResult> {
    const key = checkedKey(options.idempotencyKey ?? newIdempotencyKey());
    return resultOf(await this.#requests.send({ method, path, body, key }, options));
  }
}

/** A login of dots alone would lead to another path. */
export function pathOf(productLogin: string): string {
  if (/^\.{0,2}$/.test(productLogin)) throw new TypeError(`not a product's login: "${productLogin}"`);
  return `/v1/products/${encodeURIComponent(productLogin)}`;
}

/** The contract's bodies, or those in JSON for who asks. */
function resultOf(answer: Answer): CommandResult {
  const { status, already_set, commandId = commandIdOf(answer) } = membersOf(answer);
  if (answer.text !== 'OK' && status !== 'OK' && already_set !== true)
    throw new RelaygateError('unexpected-answer', { status: answer.status, mayHaveMoved: true });
  return {
    outcome: already_set === true ? 'already-set' : 'done',
    commandId: typeof commandId === 'string' ? commandId : undefined,
    replayed: answer.headers.get('Idempotent-Replayed') === 'true',
  };
}

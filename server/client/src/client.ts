import type { CommandPage, CommandStatus, ProductPage } from './api-types';
import {
  type CallOptions,
  type ClientOptions,
  type CommandListOptions,
  checked,
  type ProductListOptions,
} from './options';
import { Product, pathOf } from './product';
import { Requests, withQuery } from './requests';

/**
 * An application's way to its products. Each call fails with a RelaygateError; a wrong argument is a TypeError. It holds no
 * connection, so there is nothing to close.
 */
export class RelaygateClient {
  readonly #requests: Requests;

  /** Throws a TypeError if an option is wrong. */
  constructor(options: ClientOptions) {
    this.#requests = new Requests(checked(options));
  }

  /** Sends nothing. */
  product(productLogin: string): Product {
    return new Product(this.#requests, productLogin);
  }

  /** Those that this client is associated with. */
  products(options: ProductListOptions = {}): Promise<ProductPage> {
    return this.#requests.read(withQuery('/v1/products', options), options);
  }

  /** This client's commands, newest first. */
  commands(options: CommandListOptions = {}): Promise<CommandPage> {
    return this.#requests.read(withQuery('/v1/commands', options), options);
  }

  /** What became of a command that this client gave. */
  command(commandId: string, options?: CallOptions): Promise<CommandStatus> {
    return this.#requests.read(`/v1/commands/${encodeURIComponent(commandId)}`, options);
  }

  /** Associates this client with a product; nothing happens if it is so already. */
  async addProduct(productLogin: string, productKey: string, options?: CallOptions): Promise<void> {
    await this.#requests.send({ method: 'POST', path: '/v1/products', body: { productLogin, productKey } }, options);
  }

  /** Dissociates this client from it. */
  async deleteProduct(productLogin: string, options?: CallOptions): Promise<void> {
    const path = pathOf(productLogin);
    await this.#requests.send({ method: 'DELETE', path, doneCode: 'user-not-allowed' }, options);
  }
}

import type { Clock } from '@relaygate/shared';
import { Budgets, tooMany } from '../budgets';
import type { CommandOrder } from './order';

export interface CommandLimits {
  /** Of one client to one product. */
  productPerMinute: number;
  /** Of one client to all products. */
  clientPerMinute: number;
}

type Giver = Pick<CommandOrder, 'clientId' | 'productLogin'>;

/** How many commands a client may have recorded, to each product and in all: that many at once, refilled evenly (I15). */
export class CommandBudgets {
  readonly #ofProducts: Budgets;
  readonly #ofClients: Budgets;

  constructor(clock: Clock, { productPerMinute, clientPerMinute }: CommandLimits) {
    this.#ofProducts = new Budgets(clock, { burst: productPerMinute, perSecond: productPerMinute / 60 });
    this.#ofClients = new Budgets(clock, { burst: clientPerMinute, perSecond: clientPerMinute / 60 });
  }

  /** A command costs one unit of both budgets. Fails with `too-many-requests`, and takes nothing, if one of them is used up. */
  take({ clientId, productLogin }: Giver): void {
    const ofProduct = this.#ofProducts.of(keyOf(clientId, productLogin));
    const ofClient = this.#ofClients.of(clientId);
    const productWaitMs = ofProduct.take();
    const clientWaitMs = ofClient.take();
    const waitMs = Math.max(productWaitMs, clientWaitMs);
    if (waitMs === 0) return;
    if (productWaitMs === 0) ofProduct.giveBack(1);
    if (clientWaitMs === 0) ofClient.giveBack(1);
    throw tooMany('gave too many commands', waitMs);
  }

  /** For a command that was not recorded. */
  giveBack({ clientId, productLogin }: Giver): void {
    this.#ofProducts.of(keyOf(clientId, productLogin)).giveBack(1);
    this.#ofClients.of(clientId).giveBack(1);
  }
}

/** Neither of them holds a space. */
function keyOf(clientId: string, productLogin: string): string {
  return `${clientId} ${productLogin}`;
}

import { type Budget, BY_MAX_CHARS, type ErrorCode, isProductLogin, plainLine } from '@relaygate/shared';
import { type Budgets, type RateLimit, tooMany } from '../limits/budgets';
import type { CommandAccess, CommandStore } from './command-store';
import { type IdempotentCommandsDeps, idempotent } from './idempotent-commands';
import type { CommandAnswer, CommandOrder, CommandRouter, DispatchAnswer } from './order';

/** In ASCII, and short: a device takes it as it is. */
const USUAL_NAME = new RegExp(`^[ -~]{0,${BY_MAX_CHARS}}$`);

const GAVE_TOO_MANY = 'gave too many commands';

/** How many commands a client may have recorded: that many at once, refilled evenly (I15). */
export interface CommandBudgets {
  /** Of one client to one product. */
  products: Budgets;
  /** Of one client to all products. */
  clients: Budgets;
}

export interface OutputDriverDeps extends IdempotentCommandsDeps {
  store: Pick<CommandStore, 'readAccess' | 'findKeyed'>;
  router: CommandRouter;
  budgets: CommandBudgets;
}

/**
 * Sets or toggles outputs: authorised on fresh rows (I13), then dispatched where the product's link is, at most once for a key. Fails
 * with `too-many-requests` beyond the client's budget, which only commands that it may give can use up.
 */
export function outputDriver(deps: OutputDriverDeps): (order: CommandOrder) => Promise<CommandAnswer> {
  const { store, router, budgets } = deps;
  /** A text that can be no login is asked for nowhere: PostgreSQL answers some, with NUL in them, with an error. */
  const readAccess = async ({ clientId, productLogin, numOutput }: CommandOrder): Promise<CommandAccess | undefined> =>
    isProductLogin(productLogin) ? store.readAccess(clientId, productLogin, numOutput) : undefined;

  async function drive(order: CommandOrder): Promise<CommandAnswer> {
    const access = await readAccess(order);
    const code = refusalOf(access);
    if (code) return { kind: 'error', code };
    const ofClient = (): Budget => budgets.clients.of(order.clientId);
    const waitMs = Math.max(budgets.products.of(pairOf(order)).waitMs, ofClient().waitMs);
    if (waitMs > 0) throw tooMany(GAVE_TOO_MANY, waitMs);
    ofClient().take();
    const answer = await givenBackIfFree(ofClient, () => router.dispatch(withAccess(order, access)));
    if (answer.kind === 'too-many') throw tooMany(GAVE_TOO_MANY, answer.waitMs, budgets.products.limit);
    return answer;
  }

  const driveOnce = idempotent(deps, drive);
  /** A repetition waits perhaps, and is then authorised again before it runs anew. */
  async function driveUnderKey(order: CommandOrder): Promise<CommandAnswer> {
    const code = refusalOf(await readAccess(order));
    return code ? { kind: 'error', code } : driveOnce(order);
  }
  return (order) => (order.idempotency ? driveUnderKey(order) : drive(order));
}

/**
 * The owner's dispatch, which takes a unit of the client's budget for the product, whichever node was asked, and gives it back if nothing
 * was recorded.
 */
export function countedAtOwner<Rest extends readonly unknown[]>(
  products: Budgets,
  dispatch: (order: CommandOrder, ...rest: Rest) => Promise<CommandAnswer>,
): (order: CommandOrder, ...rest: Rest) => Promise<DispatchAnswer> {
  return async (order, ...rest) => {
    const ofPair = (): Budget => products.of(pairOf(order));
    const waitMs = ofPair().take();
    return waitMs > 0 ? { kind: 'too-many', waitMs } : givenBackIfFree(ofPair, () => dispatch(order, ...rest));
  };
}

/** Gives the unit of a free command back. `budget` is called anew for that: the object that it was taken from may be forgotten by then. */
async function givenBackIfFree<Answer extends DispatchAnswer>(
  budget: () => Budget,
  dispatched: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await dispatched();
    if (isFree(answer)) budget().giveBack(1);
    return answer;
  } catch (error) {
    budget().giveBack(1);
    throw error;
  }
}

/** What the client has left for commands to this product, and to all. */
export function commandLimits({ products, clients }: CommandBudgets, order: Giver): RateLimit[] {
  return [products.rateLimitOf(pairOf(order)), clients.rateLimitOf(order.clientId)];
}

type Giver = Pick<CommandOrder, 'clientId' | 'productLogin'>;

/** Neither name can have a space, so no two pairs have the same key. */
function pairOf({ clientId, productLogin }: Giver): string {
  return `${clientId} ${productLogin}`;
}

/** The order with what its access tells: who gives it, whether the product has a device, and which node has the product. */
export function withAccess(order: CommandOrder, access: CommandAccess | undefined): CommandOrder {
  return {
    ...order,
    ...givenBy(shownName(access?.clientName ?? '')),
    ...(access?.deviceEnrolled === false ? { noDevice: true } : {}),
    ...(access?.owner && { owner: access.owner }),
  };
}

function givenBy(by: string): Pick<CommandOrder, 'by'> {
  return by === '' ? {} : { by };
}

/** The device takes no control characters and at most BY_MAX_CHARS. Names from before that rule may hold some. */
function shownName(name: string): string {
  return USUAL_NAME.test(name) ? name : [...plainLine(name)].slice(0, BY_MAX_CHARS).join('');
}

/**
 * Why this client may not drive this output, in the order of design section 5; undefined when it may. I7, I13. MAY_DRIVE in
 * command-handlers.ts checks the same; change both.
 */
export function refusalOf(access: CommandAccess | undefined): ErrorCode | undefined {
  if (!access) return 'product-not-found';
  if (!access.clientActive) return 'bad-token';
  if (!access.associated || !access.productActivated) return 'user-not-allowed';
  if (access.outputActivated === undefined) return 'invalid-params';
  return access.outputActivated ? undefined : 'user-not-allowed';
}

/**
 * True if the command has no record, or perhaps none, or if the record is that of an earlier one with the same key: then it costs no budget.
 * Such commands are few, because each one in doubt holds its product's slot for a second.
 */
function isFree(answer: DispatchAnswer): boolean {
  if (answer.kind === 'too-many' || answer.isReplayed) return true;
  return answer.kind === 'error' && (answer.isUnrecorded || answer.commandId === undefined);
}

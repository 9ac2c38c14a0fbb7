import type { Clock, Randomness, ServerSettings, TokenPair, WallClock } from '@relaygate/shared';
import { login } from './clients/login';
import { type CommandListQuery, commandList } from './commands/command-list';
import { commandStatus } from './commands/command-status';
import { commandLimits, outputDriver } from './commands/drive-output';
import type { CommandRouter } from './commands/order';
import type { OutcomeRecorder } from './commands/outcome-recorder';
import type { DevicePresence } from './devices/presence';
import type { Secrets } from './files/secrets';
import type { NodeLimits } from './limits/node-limits';
import type { PageQuery } from './lists/page';
import { PageCursors } from './lists/page-cursor';
import type { Log } from './log/log';
import { type AssociationClaim, associate, associatedProduct, dissociate } from './products/association';
import { type ProductFilter, productList } from './products/product-list';
import { productState } from './products/product-state';
import { WriteDoubt } from './products/write-doubt';
import type { ServerStorage } from './storage/storage';
import { limitedRefresh, type RefreshClaim } from './tokens/limited-refresh';
import { TokenService } from './tokens/token-service';

export type ActionSettings = Pick<ServerSettings, 'serverName'>;

/** What the domain works with. */
export interface DomainDeps {
  storage: ServerStorage;
  secrets: Secrets;
  log: Log;
  clock: Clock;
  wallClock: WallClock;
  randomness: Randomness;
}

export interface ActionDeps extends DomainDeps {
  settings: ActionSettings;
  limits: NodeLimits;
  presence: DevicePresence;
  router: CommandRouter;
  outcomes: OutcomeRecorder;
}

export type Actions = ReturnType<typeof actionsOf>;

/**
 * What both generations of the API can do; routes only translate to and from HTTP. Each action fails with a RelaygateError of
 * the API's codes. `address`: the client's, as AddressOf gives it.
 */
export function actionsOf(deps: ActionDeps) {
  const { settings, storage, secrets, clock, wallClock, randomness, log, limits, presence, router, outcomes } = deps;
  const { failures: limiter, writes } = limits;
  const accessKey = { key: secrets.accessKey, kid: secrets.accessKeyId, issuer: settings.serverName };
  const tokenDeps = { store: storage, accessKey, refreshKey: secrets.refreshSecret, wallClock, randomness, log };
  const tokens = new TokenService(tokenDeps);
  const keyDeps = { store: storage, wallClock };
  const associationDeps = { store: storage, associations: writes.associations, doubt: new WriteDoubt(), wallClock };
  const stateDeps = { store: storage, presence, outcomes, wallClock };
  const cursors = new PageCursors(secrets.refreshSecret);
  const authorise = (clientId: string, productLogin: string): Promise<unknown> =>
    associatedProduct(storage, clientId, productLogin);
  const listDeps = { ...stateDeps, cursors, budgets: limits.lists, authorise };
  return {
    async login(clientKey: string, address: string): Promise<TokenPair> {
      const holder = await login(keyDeps, limiter, clientKey, address);
      return writes.logins.pay(holder.clientId, () => tokens.issue(holder));
    },
    refresh: (claim: RefreshClaim) => limitedRefresh({ tokens, limiter, keyDeps }, claim),
    clientOf: (accessToken: string) => tokens.clientOf(accessToken),
    associate: (claim: AssociationClaim) => associate({ ...associationDeps, limiter }, claim),
    dissociate: (clientId: string, productLogin: string) => dissociate(associationDeps, clientId, productLogin),
    productState: (clientId: string, productLogin: string) => productState(stateDeps, clientId, productLogin),
    products: (clientId: string, query: ProductFilter & PageQuery) => productList(listDeps, clientId, query),
    commands: (clientId: string, query: CommandListQuery) => commandList(listDeps, { clientId }, query),
    productCommands: (clientId: string, productLogin: string, query: CommandListQuery) =>
      commandList(listDeps, { clientId, productLogin }, query),
    drive: outputDriver({ store: storage, router, budgets: limits.commands, outcomes, clock }),
    commandLimits: (clientId: string, productLogin: string) =>
      commandLimits(limits.commands, { clientId, productLogin }),
    listLimits: (clientId: string) => [limits.lists.rateLimitOf(clientId)],
    commandStatus: (clientId: string, commandId: string) => commandStatus(storage, outcomes, clientId, commandId),
  };
}

import type { CommandStatus, ProductState, TokenPair } from '@relaygate/shared';
import type { CommandAnswer, CommandOrder } from '../commands/order';
import type { RefreshClaim } from '../tokens/limited-refresh';

/**
 * What both generations of the API can do; routes only translate to and from HTTP. Each action fails with a RelaygateError of
 * the API's codes. `address`: the client's, as AddressOf gives it.
 */
export interface Actions {
  login(clientKey: string, address: string): Promise<TokenPair>;
  refresh(claim: RefreshClaim): Promise<TokenPair>;
  clientOf(accessToken: string): Promise<string>;
  associate(claim: { clientId: string; productLogin: string; productKey: string; address: string }): Promise<void>;
  dissociate(clientId: string, productLogin: string): Promise<void>;
  productState(clientId: string, productLogin: string): Promise<ProductState>;
  drive(order: CommandOrder): Promise<CommandAnswer>;
  commandStatus(clientId: string, commandId: string): Promise<CommandStatus>;
}

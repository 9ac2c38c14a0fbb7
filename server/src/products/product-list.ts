import type { ListedProduct, WallClock } from '@relaygate/shared';
import type { DevicePresence } from '../devices/presence';
import { type Page, type PageDeps, type PageQuery, pageOf } from '../lists/page';
import { shownLink } from './product-state';
import type { ClientProduct, ProductStore } from './product-store';

export interface ProductListDeps extends PageDeps {
  store: Pick<ProductStore, 'productsOf'>;
  presence: Pick<DevicePresence, 'statusBy'>;
  wallClock: WallClock;
}

/** Which products are shown; absent: whatever it is. */
export interface ProductFilter {
  connected?: boolean;
  activated?: boolean;
}

/** The products that the client is associated with, in the order of their logins. Fails as `pageOf`. */
export function productList(
  deps: ProductListDeps,
  clientId: string,
  { connected, activated, ...query }: ProductFilter & PageQuery,
): Promise<Page<ListedProduct>> {
  const list = {
    clientId,
    list: ['products'],
    read: (after = '', limit: number) => deps.store.productsOf(clientId, after, limit),
    positionOf: ({ productLogin }: ClientProduct) => productLogin,
  };
  return pageOf(deps, list, query, (product) => {
    const shown = shownProduct(deps, product);
    const isAsked = shown.connected === (connected ?? shown.connected);
    return isAsked && shown.activated === (activated ?? shown.activated) ? shown : undefined;
  });
}

function shownProduct({ presence, wallClock }: ProductListDeps, product: ClientProduct): ListedProduct {
  const { productLogin, activated, outputCount, faulty, connected: isConnected, nodeName } = product;
  const link = presence.statusBy(productLogin, { isConnected, nodeName });
  return { productLogin, ...shownLink(link, product, wallClock), activated, outputCount, faulty };
}

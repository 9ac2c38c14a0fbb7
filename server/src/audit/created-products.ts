import { detailsIn } from './audit-record';
import type { ProductName, StoredAuditRecord } from './audit-store';
import { membersOf } from './json-members';

/** Checks that each product's id stands for the login in the record of its creation. The oldest records do not name the login. */
export class CreatedProducts {
  readonly #logins = new Map<number, string>();

  take(record: StoredAuditRecord): void {
    if (record.format === 1 || record.kind !== 'product-created') return;
    const members = membersOf(record.body);
    const { login } = detailsIn(members);
    const { product } = members;
    if (typeof product === 'number' && typeof login === 'string') this.#logins.set(product, login);
  }

  disagreements(products: readonly ProductName[]): string[] {
    const known = new Map(products.map(({ productId, productLogin }) => [productId, productLogin]));
    return [...this.#logins]
      .filter(([productId, login]) => known.get(productId) !== login)
      .map(([productId, login]) => {
        const now = known.get(productId);
        const what = now === undefined ? 'no product has its id now' : `its id stands for ${now} now`;
        return `the product ${login} was created, but ${what}: records about it are shown for another product`;
      });
  }
}

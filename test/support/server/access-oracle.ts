/** A small world of clients and products, and what the API must answer in it. */
interface WorldProduct {
  activated: boolean;
  /** The output's number is the index. */
  outputs: boolean[];
}

export interface World {
  /** Is the client active? */
  clients: boolean[];
  products: WorldProduct[];
  /** [client][product] */
  associated: boolean[][];
}

export const OPERATIONS = ['add', 'delete', 'state', 'set', 'toggle'] as const;

export interface Question {
  /** undefined: no access token. */
  client: number | undefined;
  /** undefined: a login that nobody has. */
  product: number | undefined;
  operation: (typeof OPERATIONS)[number];
  numOutput: number;
  generation: 'legacy' | 'v1';
}

/** Design section 5, "check order" and "activation", while every device is linked and executes each command. */
export function expectedStatus(world: World, { client, product, operation, numOutput, generation }: Question): number {
  if (client === undefined || !world.clients[client]) return 401;
  if ((operation === 'set' || operation === 'toggle') && !(numOutput >= 0 && numOutput <= 999)) return 422;
  const known = product === undefined ? undefined : world.products[product];
  if (product === undefined || !known) return 404;
  const isV1 = generation === 'v1';
  if (operation === 'add') return isV1 ? 201 : 200;
  if (!world.associated[client]?.[product]) return 403;
  if (operation === 'delete') return isV1 ? 204 : 200;
  if (operation === 'state') return 200;
  if (!known.activated) return 403;
  const output = known.outputs[numOutput];
  if (output === undefined) return 422;
  return output ? 200 : 403;
}

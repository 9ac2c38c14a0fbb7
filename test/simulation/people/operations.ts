/** The operator's commands, as plans have them. */
import { revokeDevice } from '@relaygate/server/products/provision';
import type { World } from '../machines/world';
import { machineOf, type Operation } from '../plan/plan';

/** The installer has the new code at hand. */
const NEW_CODE_MS = 3_000;

export class Operations {
  readonly #world: World;
  readonly #newestCodes = new Map<number, string>();
  #revokedMs = Number.NEGATIVE_INFINITY;

  constructor(world: World) {
    this.#world = world;
  }

  /** When a device was revoked last. */
  get revokedMs(): number {
    return this.#revokedMs;
  }

  async perform(operation: Operation): Promise<void> {
    const { store, server, scheduler, chance, history } = this.#world;
    const direct = store.direct;
    const atMs = server.epochMs();
    switch (operation.kind) {
      case 'set-client-active':
        return void (await direct.setClientActive(`client-${operation.client}`, operation.active, atMs));
      case 'set-product-active':
        return void (await direct.setProductActivated(machineOf(operation.product), operation.active, atMs));
      case 'set-output-active': {
        const { product, numOutput, active } = operation;
        return void (await direct.setOutputActivated(machineOf(product), numOutput, active, atMs));
      }
      case 'revoke-device': {
        const wallClock = { epochMs: () => server.epochMs() };
        const code = await revokeDevice({ store: direct, randomness: chance, wallClock }, machineOf(operation.product));
        this.#newestCodes.set(operation.product, code);
        this.#revokedMs = scheduler.nowMs;
        scheduler.in(operation.newCodeAfterMs, () => {
          const isNewest = this.#newestCodes.get(operation.product) === code;
          if (!isNewest) return;
          this.#world.device(machineOf(operation.product))?.card.putCode(code);
          history.codes.push({ machine: machineOf(operation.product), atMs: scheduler.nowMs });
        });
        return;
      }
      case 'revoke-at-opening': {
        const revocation = { kind: 'revoke-device', product: operation.product, newCodeAfterMs: NEW_CODE_MS } as const;
        return store.onNext('openLink', () => {
          this.perform(revocation).catch((error) => this.#world.uncaught('operator', error));
        });
      }
      default:
        operation satisfies never;
    }
  }
}

import type { World } from '../machines/world';
import { machineOf, type PlannedProduct } from '../plan/plan';
import type { Client } from './client';
import type { Operations } from './operations';
import type { Resets } from './resets';

/** After everything has healed a command must succeed within this: the longest wait of a device, and a little. */
const LIVELY_WITHIN_MS = 140_000;
const FINAL_TRY_MS = 2_000;
/** I13: from then on a revoked device has no link. */
const REVOKED_WITHIN_MS = 1_000;

export interface LastCommandsDeps {
  world: World;
  products: readonly PlannedProduct[];
  /** Which no planned step touches. */
  client: Client;
  operations: Operations;
  resets: Resets;
  /** Whoever sees the relays proves the wiring; resolves with what they hear. */
  prove(product: number): Promise<string | null>;
}

/** Liveness: with nothing broken any more every product can be switched again. False: one cannot. */
export async function playLastCommands(deps: LastCommandsDeps): Promise<boolean> {
  const { world, products, client, operations, resets, prove } = deps;
  const { scheduler, store, server } = world;
  for (const [n] of products.entries()) {
    await store.direct.setProductActivated(machineOf(n), true, server.epochMs());
    await store.direct.setOutputActivated(machineOf(n), 0, true, server.epochMs());
  }
  const outcome = { isOver: false, isLively: true };
  const deadlineMs = scheduler.nowMs + LIVELY_WITHIN_MS;
  /** Until it is done, or time is up: false. */
  const insist = async (isDone: () => Promise<boolean>): Promise<boolean> => {
    while (!(await isDone())) {
      if (scheduler.nowMs > deadlineMs) return false;
      await new Promise<void>((resolve) => void scheduler.in(FINAL_TRY_MS, resolve));
    }
    return true;
  };
  const set = (product: number, state: 0 | 1): Promise<boolean> =>
    insist(async () => {
      const answer = await client.perform({ kind: 'set', product, numOutput: 0, state });
      return answer?.code === 'ok' || answer?.code === 'already-set';
    });
  const proven = (product: number): Promise<boolean> => insist(async () => (await prove(product)) === 'ok');
  const play = async (): Promise<void> => {
    // Else the link that a revocation is about to end would do, and the device be away behind it.
    await insist(async () => !resets.isAtWork && scheduler.nowMs >= operations.revokedMs + REVOKED_WITHIN_MS);
    const beganMs = scheduler.nowMs;
    for (const [product, { requireProof }] of products.entries()) {
      const isProven = !requireProof || (await proven(product));
      if (isProven && (await set(product, 1)) && (await set(product, 0))) continue;
      outcome.isLively = false;
      return;
    }
    if (operations.revokedMs >= beganMs) await play();
  };
  const playing = play().then(() => {
    outcome.isOver = true;
  });
  await scheduler.runUntil(deadlineMs + 30_000, () => outcome.isOver);
  if (outcome.isOver) await playing;
  return outcome.isOver && outcome.isLively;
}

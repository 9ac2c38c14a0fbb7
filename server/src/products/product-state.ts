import {
  type Clock,
  isoTime,
  type OutputStatus,
  type ProductState,
  RelaygateError,
  type WallClock,
} from '@relaygate/shared';
import type { OutcomeRecord } from '../commands/command-store';
import type { DeviceLinks } from '../commands/device-links';
import type { OutcomeRecorder } from '../commands/outcome-recorder';
import { isOlder } from '../devices/frame-version';
import type { OutputRecord, ProductStore } from './product-store';

export interface ProductStateDeps {
  store: ProductStore;
  links: Pick<DeviceLinks, 'presence'>;
  outcomes: Pick<OutcomeRecorder, 'unsavedOf'>;
  clock: Clock;
  wallClock: WallClock;
}

/**
 * The last known state of the product's outputs, each with the time the server received it, and whether the link
 * is up (I11). Fails with `product-not-found` or `user-not-allowed`; needs no activation.
 */
export async function productState(
  parts: ProductStateDeps,
  clientId: string,
  productLogin: string,
): Promise<ProductState> {
  const { store, links, outcomes, clock, wallClock } = parts;
  // Before the reading: what is written meanwhile is in what is read.
  const unsaved = outcomes.unsavedOf(productLogin);
  const product = await store.findProduct(productLogin);
  if (!product) throw new RelaygateError('product-not-found');
  if (!(await store.isAssociated(clientId, productLogin))) throw new RelaygateError('user-not-allowed');
  const presence = links.presence(productLogin);
  const connected = presence.kind === 'up';
  const lastSeenAtMs = connected
    ? wallClock.epochMs() - (clock.nowMs() - presence.lastFrameAtMs)
    : product.lastSeenAtMs;
  return {
    productLogin,
    connected,
    lastSeenAt: isoTime(lastSeenAtMs),
    outputs: product.outputs.map((output) => statusOf(observedBy(output, unsaved), wallClock.epochMs())),
    faults: product.faults,
  };
}

/** A client that had its 200 must not read the state before it, however slow the database is. */
function observedBy(output: OutputRecord, outcomes: readonly OutcomeRecord[]): OutputRecord {
  let shown = output;
  for (const { observed, resolvedAtMs } of outcomes) {
    if (observed?.numOutput !== output.numOutput || isOlder(observed.version, shown.version)) continue;
    shown = { ...output, state: observed.state, version: observed.version, observedAtMs: resolvedAtMs };
  }
  return shown;
}

function statusOf({ observedAtMs, lockedUntilMs, ...output }: OutputRecord, nowMs: number): OutputStatus {
  const { numOutput, name, mode, state, activated, pulseMs, confirmedBy } = output;
  const isLocked = lockedUntilMs !== null && nowMs < lockedUntilMs;
  const lock = isLocked ? { lockedUntil: isoTime(lockedUntilMs) } : {};
  return { numOutput, name, mode, state, observedAt: isoTime(observedAtMs), activated, pulseMs, confirmedBy, ...lock };
}

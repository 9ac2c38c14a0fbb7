import { type InputStatus, isoTime, type OutputStatus, type ProductState, type WallClock } from '@relaygate/shared';
import { isOlder, type ObservedState } from '../devices/frame-version';
import type { DevicePresence, LinkStatus } from '../devices/presence';
import { associatedProduct } from './association';
import type { InputRecord, OutputRecord, ProductStore, ProductSummary } from './product-store';

/** Outcomes of commands that are not in the database yet. */
export interface UnsavedOutcomes {
  /** Oldest first. */
  unsavedOf(productLogin: string): readonly UnsavedOutcome[];
}

export interface UnsavedOutcome {
  observed: ObservedState | null;
  resolvedAtMs: number;
}

export interface ProductStateDeps {
  store: Pick<ProductStore, 'findProduct' | 'isAssociated'>;
  presence: Pick<DevicePresence, 'statusOf'>;
  outcomes: UnsavedOutcomes;
  wallClock: WallClock;
}

/**
 * The last known state of each output and input with the time when the server received it, and whether the link is up (I11). Fails
 * with `product-not-found` or `user-not-allowed`; needs no activation.
 */
export async function productState(
  deps: ProductStateDeps,
  clientId: string,
  productLogin: string,
): Promise<ProductState> {
  const { store, presence, outcomes, wallClock } = deps;
  // Read before the rows: an outcome that is written in between is missing in the rows, but still in this list.
  const unsaved = outcomes.unsavedOf(productLogin);
  const product = await associatedProduct(store, clientId, productLogin);
  const link = await presence.statusOf(productLogin);
  return {
    productLogin,
    ...shownLink(link, product, wallClock),
    outputs: product.outputs.map((output) => statusOf(observedBy(output, unsaved), wallClock.epochMs())),
    faults: product.faults,
    inputs: product.inputs.map(inputStatus),
  };
}

/** Whether the link is up, and when the device was heard last. */
export function shownLink(
  link: LinkStatus | null,
  { lastSeenAtMs }: Pick<ProductSummary, 'lastSeenAtMs'>,
  wallClock: WallClock,
): Pick<ProductState, 'connected' | 'lastSeenAt'> {
  const seenAtMs = link?.silentMs === undefined ? lastSeenAtMs : wallClock.epochMs() - link.silentMs;
  return { connected: link !== null, lastSeenAt: isoTime(seenAtMs) };
}

/** With its unsaved outcomes, so that a client that got its 200 never reads an older state from the node that owns the product. */
function observedBy(output: OutputRecord, outcomes: readonly UnsavedOutcome[]): OutputRecord {
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

function inputStatus({ numInput, name, kind, state, observedAtMs }: InputRecord): InputStatus {
  return { numInput, name, kind, state, observedAt: isoTime(observedAtMs) };
}

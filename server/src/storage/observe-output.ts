import type { Database } from 'better-sqlite3';
import type { ObservedState } from '../devices/frame-version';

type ObserveOutput = (productLogin: string, observed: ObservedState | UnknownState, atMs: number) => void;
/** The device does not know it. */
type UnknownState = Omit<ObservedState, 'state'> & { state: null };

/** Writes an output's state, unless what was heard later is there already: writes are retried, and overtake each other. */
export function observeOutput(db: Database): ObserveOutput {
  const observe = db.prepare(
    `UPDATE outputs SET state = @state, observed_at_ms = @atMs, heard_epoch = @epoch, heard_turn = @seq
     WHERE product_login = @productLogin AND num_output = @numOutput
       AND (heard_epoch, heard_turn) <= (@epoch, @seq)`,
  );
  return (productLogin, { numOutput, state, version }, atMs) =>
    void observe.run({ productLogin, numOutput, state, atMs, ...version });
}

import type { CommandView } from '../commands/command-store';
import type { OutputRecord, ProductRecord } from '../products/product-store';
import type { Cursor } from './cursor';

/**
 * Something that has changed, as it is now: of several changes of one thing that come between two readings only the last
 * one is seen.
 */
export type Change = Revised & (CommandChange | OutputChange | ProductChange);

/** Which writer changed it last, and its number among all changes of that writer. */
interface Revised {
  revisedBy: number;
  revision: number;
}

/** A command was recorded, or its outcome is another. */
export interface CommandChange extends CommandView {
  kind: 'command';
}

/** The state of an output, its settings or its activation. A report that repeats a state is no change. */
export interface OutputChange extends Omit<OutputRecord, 'version'> {
  kind: 'output';
  productLogin: string;
}

/** The link of a product, its device, its inputs or its activation. */
export interface ProductChange
  extends Pick<
    ProductRecord,
    | 'productLogin'
    | 'activated'
    | 'enrolled'
    | 'connected'
    | 'lastSeenAtMs'
    | 'agentVersion'
    | 'faults'
    | 'inputs'
    | 'replacedAtMs'
  > {
  kind: 'product';
}

export interface ChangePage {
  /** Each writer's in the order of their revisions. Writers have no order among each other. */
  changes: Change[];
  /** Behind these changes. */
  cursor: Cursor;
}

export interface ChangeStore {
  /** Behind all changes so far. */
  changeCursor(): Promise<Cursor>;
  /** The oldest changes behind the cursor, at most `limit` (1 or more) of each writer. */
  changesSince(cursor: Cursor, limit: number): Promise<ChangePage>;
  /** Runs after commits of this process; those of others are seen by asking only. If a call is lost, changes come later, but all come. */
  onCommit(run: () => void): void;
}

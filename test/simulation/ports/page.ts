import type { WebInMemory } from '../../support/device/web-in-memory';
import type { Incarnation } from '../machines/incarnation';

/** The page of one life of an agent. */
export interface Page {
  readonly life: Incarnation;
  readonly web: WebInMemory;
  readonly fromMs: number;
}

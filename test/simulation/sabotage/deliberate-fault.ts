import type { Rule } from '../checker/violation';
import type { Plan } from '../plan/plan';
import type { Sabotage } from './sabotage';

/** What proves the checker: each of these, switched on alone, must be caught. */
export interface DeliberateFault {
  /** As a sentence about the system that has it. */
  name: string;
  /** What the checker must name; one of these. */
  breaks: readonly Rule[];
  /** What its sentence must hold, so that no other violation passes for it. */
  says: string;
  /** Where nothing else can show it; absent: everywhere. */
  plays?(plan: Plan): boolean;
  /** Anew for each seed, for it may remember things. */
  make(): Sabotage;
}

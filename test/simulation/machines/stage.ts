import type { ChangeListener } from '../people/change-listener';
import type { Sabotage } from '../sabotage/sabotage';
import type { Surroundings } from './surroundings';

/** What server and devices stand on. */
export interface Stage extends Surroundings {
  readonly sabotage: Sabotage;
  readonly listener: ChangeListener;
}

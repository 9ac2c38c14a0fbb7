import { refusingIn } from '../ipc/device-refusal';
import { GUARD_REFUSALS } from '../locales/en/guard-refusals';

export const refusedByGuard = refusingIn(GUARD_REFUSALS);

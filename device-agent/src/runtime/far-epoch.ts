import { MAX_EPOCH_STEP } from '@relaygate/shared/device-limits';
import { RelaygateError } from '@relaygate/shared/relaygate-error';

/** `known`: the highest epoch of this boot; 0: none yet. Throws `epoch-too-far`. */
export function refuseFarEpoch(epoch: number, known: number): void {
  if (epoch > known + MAX_EPOCH_STEP) throw new RelaygateError('epoch-too-far', `epoch ${epoch} after ${known}`);
}

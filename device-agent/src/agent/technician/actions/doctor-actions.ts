import { action } from '../../../ipc/schema-action';
import { refused } from '../../../runtime/refused';
import { type Diagnosis, DoctorRequest } from '../local-messages/doctor';
import type { ActionDeps } from './action-deps';

/** Asks the doctor what is wrong with this device. One at a time, because it is much work for a small machine. */
export function doctorActions({ diagnose }: ActionDeps) {
  let isLooking = false;

  async function look({ language = 'en' }: DoctorRequest): Promise<Diagnosis> {
    if (isLooking) throw refused('refused', 'doctor-looks', {});
    isLooking = true;
    try {
      return await diagnose(language);
    } finally {
      isLooking = false;
    }
  }

  return { doctor: action(DoctorRequest, look) };
}

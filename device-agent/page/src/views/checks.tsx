import type { JSX } from 'preact';
import { DoctorCard } from './doctor-card';
import { ProveCard } from './prove-card';

/** Looking at the device, and at its wiring. */
export function ChecksView(): JSX.Element {
  return (
    <div class="cards">
      <DoctorCard />
      <ProveCard />
    </div>
  );
}

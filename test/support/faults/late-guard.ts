/** Preloaded into a guard, a deliberate fault: each of its pulses goes on for 60 ms after it was to end. */
import { SimulatedBoard } from '@relaygate/device-agent/relay/simulated-board';

const LATE_MS = 60;

const drive = SimulatedBoard.prototype.drive;
SimulatedBoard.prototype.drive = async function (order) {
  if (order.level === 'low') await new Promise((resume) => setTimeout(resume, LATE_MS));
  return drive.call(this, order);
};

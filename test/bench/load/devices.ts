/** A process full of devices. Each question links some more; they stay until the benchmark hangs up. */
import { type DeviceKey, echoDevice, type LoadDevice, relaygateDevice } from './linked-device';
import { answerQuestions } from './load-process';

export interface DevicesWanted {
  port: number;
  productLogins: readonly string[];
  /** Absent: devices of an echo server. */
  key?: DeviceKey;
}

/** A server takes 250 unproven links from one address; several of these processes share them. */
const AT_ONCE = 50;
const HEARTBEAT_MS = 10_000;
/** So that the heartbeats of all are spread over time, as those of real devices are. */
const SLICES = 100;

const devices: LoadDevice[] = [];
let slice = 0;

setInterval(() => {
  for (let n = slice; n < devices.length; n += SLICES) devices[n]?.heartbeat();
  slice = (slice + 1) % SLICES;
}, HEARTBEAT_MS / SLICES);

answerQuestions(async ({ port, productLogins, key }: DevicesWanted) => {
  const waiting = [...productLogins];
  const linkNext = async (): Promise<void> => {
    for (let login = waiting.pop(); login !== undefined; login = waiting.pop()) {
      const device = key ? relaygateDevice(port, login, key) : echoDevice(port, login);
      await device.up;
      devices.push(device);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, linkNext));
  return devices.length;
});

/** The simulated devices of the cluster: guard and agent as they run on a Raspberry Pi. */
import { DEMO_OUTPUTS, edgeLogOf, writeDeviceSettings, writeEnrolmentCode } from '../support/device/device';
import type { Launch } from '../support/processes/program';
import type { Supervisor } from '../support/processes/supervisor';
import type { ClusterFolder } from './cluster-folder';
import { type Product, SERVER_NAME } from './nodes';

export const OUTPUTS = DEMO_OUTPUTS.length;
const START_LIMIT_MS = 60_000;
/** More at a time would only wait for each other. */
const AT_ONCE = 4;
const SAY_EVERY = 10;

export interface ClusterDevice extends Pick<Product, 'productLogin' | 'productKey'> {
  readonly edgeLog: string;
}

/** Resolves when every device is linked to a server, through `origin`. */
export async function startDevices(
  folder: ClusterFolder,
  programs: Supervisor,
  origin: string,
  products: readonly Product[],
  say: (line: string) => void,
): Promise<ClusterDevice[]> {
  const devices = products.map((product, n) => new Device(folder, n + 1, `ws://${origin}`, product));
  const waiting = [...devices];
  let linked = 0;
  const startOneByOne = async (): Promise<void> => {
    for (let device = waiting.shift(); device; device = waiting.shift()) {
      await device.start(programs);
      linked += 1;
      if (linked % SAY_EVERY === 0 || linked === devices.length) say(`${linked} of ${devices.length} devices linked`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, startOneByOne));
  return devices.map((device) => device.facts);
}

class Device {
  readonly facts: ClusterDevice;
  readonly #folder: ClusterFolder;
  readonly #number: number;
  readonly #args: readonly string[];

  constructor(folder: ClusterFolder, number: number, serverUrl: string, product: Product) {
    const { productLogin, productKey, enrolmentCode } = product;
    const name = `device-${number}`;
    const [dataDir, runDir] = [folder.dataDir(name), folder.runDir(name)];
    writeDeviceSettings(dataDir, { link: { serverUrl, serverName: SERVER_NAME, productLogin } });
    writeEnrolmentCode(dataDir, enrolmentCode);
    this.#folder = folder;
    this.#number = number;
    this.#args = ['--data', dataDir, '--run', runDir];
    this.facts = { productLogin, productKey, edgeLog: edgeLogOf(dataDir) };
  }

  async start(programs: Supervisor): Promise<void> {
    await programs.start(this.#launch('guard'), /\bready\b/, START_LIMIT_MS);
    await programs.start(this.#launch('agent'), /link up/, START_LIMIT_MS);
  }

  #launch(program: 'guard' | 'agent'): () => Launch {
    const name = `${program}-${this.#number}`;
    const onLine = (line: string): void => this.#folder.appendLog(name, line);
    return () => ({ name, file: `device-agent/bin/relaygate-${program}.js`, args: this.#args, detached: true, onLine });
  }
}

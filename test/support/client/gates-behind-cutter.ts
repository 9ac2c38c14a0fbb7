import { RelaygateClient } from '@relaygate/client';
import type { KeyHolder } from '@relaygate/server/clients/client-store';
import type { ScriptedDevice } from '../server/scripted-device';
import { startTestServer, type TestProduct, type TestServer } from '../server/test-server';
import { AnswerCutter } from './answer-cutter';

/** Commands, however many are played, and however fast. */
const ENOUGH = '999999';

export interface Gate {
  product: TestProduct;
  device: ScriptedDevice;
}

/** A server with linked gates that one client may drive, and the link on which its answers are cut. */
export class GatesBehindCutter {
  readonly server: TestServer;
  readonly link: AnswerCutter;
  readonly holder: KeyHolder & { clientKey: string };
  readonly gates: readonly Gate[];

  private constructor(
    server: TestServer,
    link: AnswerCutter,
    holder: KeyHolder & { clientKey: string },
    gates: Gate[],
  ) {
    this.server = server;
    this.link = link;
    this.holder = holder;
    this.gates = gates;
  }

  static async start(count: number): Promise<GatesBehindCutter> {
    const settings = { productCommandsPerMinute: ENOUGH, clientCommandsPerMinute: ENOUGH };
    const server = await startTestServer({ settings });
    const holder = await server.newClient();
    const newGate = async (): Promise<Gate> => {
      const product = await server.newProduct();
      await server.associate(server.tokenOf(holder), product);
      return { product, device: await server.linkDevice(product) };
    };
    const gates = await Promise.all(Array.from({ length: count }, newGate));
    return new GatesBehindCutter(server, await AnswerCutter.start(server.url), holder, gates);
  }

  async stop(): Promise<void> {
    await this.link.stop();
    await this.server.stop();
  }

  get baseUrl(): string {
    return `${this.link.url}/api`;
  }

  newClient(retryForMs?: number): RelaygateClient {
    return new RelaygateClient({ baseUrl: this.baseUrl, clientKey: this.holder.clientKey, retryForMs });
  }

  /** How often their relays have moved for a toggle. */
  get moves(): number {
    return this.gates.reduce((sum, { device }) => sum + device.commands.length, 0);
  }

  /** Plays the rounds at all gates at once, at none of them twice at a time. */
  async atEachGate(rounds: number, play: (productLogin: string, round: number) => Promise<void>): Promise<void> {
    let next = 0;
    await Promise.all(
      this.gates.map(async ({ product }) => {
        for (let round = next++; round < rounds; round = next++) await play(product.productLogin, round);
      }),
    );
  }
}

import type { ScriptedDevice } from './scripted-device';
import { startTestServer, type TestProduct, type TestServer } from './test-server';

export interface LinkedGate {
  server: TestServer;
  gate: TestProduct;
  /** Of a client that is associated with the gate. */
  token: string;
  device: ScriptedDevice;
}

/** A server, and a product that is linked and may be driven. */
export async function startLinkedGate(): Promise<LinkedGate> {
  return linkNewGate(await startTestServer());
}

/** A new product of this server that is linked, and may be driven with this token, or with that of a new client. */
export async function linkNewGate(server: TestServer, known?: string): Promise<LinkedGate> {
  const token = known ?? (await server.newToken());
  const gate = await server.newProduct();
  await server.associate(token, gate);
  return { server, gate, token, device: await server.linkDevice(gate) };
}

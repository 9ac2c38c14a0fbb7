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
  const server = await startTestServer();
  const gate = await server.newProduct();
  const token = await server.newToken();
  await server.associate(token, gate);
  return { server, gate, token, device: await server.linkDevice(gate) };
}

import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { LINK_PATH, LINK_SUBPROTOCOL, proofText } from '@relaygate/shared';
import { WebSocket } from 'ws';

export interface DeviceKey {
  /** 32 bytes in base64url. */
  publicKey: string;
  privateKeyPem: string;
}

/** A device of the load: it knows the protocol, believes everything and confirms at once. */
export interface LoadDevice {
  /** Resolves when the server takes commands for it, rejects when it is closed before that. */
  readonly up: Promise<void>;
  /** To be called more often than every 15 s. */
  heartbeat(): void;
}

const SERVER_NAME = 'relaygate';
const OUTPUTS = [0, 1, 2, 3].map((numOutput) => ({
  numOutput,
  name: `Output ${numOutput}`,
  mode: 'on-off',
  state: 0,
  pulseMs: 500,
}));

let privateKey: KeyObject | undefined;

/** The handshake of a real agent, with the first time exchange taken once: time is not what is measured. */
export function relaygateDevice(port: number, productLogin: string, key: DeviceKey): LoadDevice {
  privateKey ??= createPrivateKey(key.privateKeyPem);
  const signer = privateKey;
  const { publicKey } = key;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${LINK_PATH}`, LINK_SUBPROTOCOL, { perMessageDeflate: false });
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const deviceNonce = randomBytes(32).toString('base64url');
  let seq = 0;
  const askTime = (): void => send({ type: 'time', seq: seq++ });
  socket.on('open', () => {
    const instance = { agentVersion: 'bench', bootId: 'boot-1', instanceId: 'i1' };
    send({ type: 'hello', productLogin, publicKey, deviceNonce, ...instance });
  });
  const up = new Promise<void>((resolve, reject) => {
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString());
      switch (message.type) {
        case 'command':
          return send({
            type: 'result',
            commandId: message.commandId,
            outcome: 'executed',
            numOutput: message.numOutput,
            state: message.state,
          });
        case 'challenge': {
          const { serverNonce } = message;
          const text = proofText({ serverName: SERVER_NAME, productLogin, publicKey, deviceNonce, serverNonce });
          return send({ type: 'proof', signature: sign(null, Buffer.from(text), signer).toString('base64url') });
        }
        case 'welcome':
          askTime();
          send({ type: 'report', outputs: OUTPUTS, faults: [] });
          send({ type: 'resume', outcomes: [], notStarted: [] });
          // Its answer comes when the server has handled all of the above.
          return askTime();
        case 'time':
          if (message.seq === 1) resolve();
      }
    });
    socket.on('close', (code, reason) => reject(new Error(`link closed: ${code} ${reason.toString()}`)));
    socket.on('error', reject);
  });
  return { up, heartbeat: askTime };
}

/** A device of the echo servers: gives every frame back. */
export function echoDevice(port: number, productLogin: string): LoadDevice {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/${productLogin}`, { perMessageDeflate: false });
  socket.on('message', (data) => socket.send(data.toString()));
  const up = new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve());
    socket.on('close', (code) => reject(new Error(`closed: ${code}`)));
    socket.on('error', reject);
  });
  return { up, heartbeat: () => {} };
}

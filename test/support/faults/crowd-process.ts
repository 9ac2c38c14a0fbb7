/** Opens connections, sends the same on each, and holds them without ever closing one. `Crowd` runs it. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface CrowdOrders {
  readonly host: string;
  readonly port: number;
  readonly count: number;
  /** Of this machine, one after the other. */
  readonly from?: readonly string[];
  /** Agrees on TLS before it sends. */
  readonly isTls?: boolean;
  readonly text: string;
  /** Sent again and again behind it, that often: a request that never ends. */
  readonly drip?: { readonly text: string; readonly everyMs: number };
  /** It reads nothing of what it is answered. */
  readonly isDeaf?: boolean;
}

/** Fewer than wait at a listening socket. */
const AT_ONCE = 100;

const { host, port, count, from = [], isTls, text, drip, isDeaf } = JSON.parse(process.argv[2] ?? '') as CrowdOrders;

/** Resolves when its text is sent, or when it was refused. */
function open(n: number): Promise<void> {
  const localAddress = from[n % from.length];
  const tcp = connect({ host, port, allowHalfOpen: true, ...(localAddress === undefined ? {} : { localAddress }) });
  const socket: Socket = isTls ? connectTls({ socket: tcp, rejectUnauthorized: false }) : tcp;
  if (isDeaf) socket.pause();
  else socket.resume();
  for (const one of [tcp, socket]) one.on('error', () => {});
  if (drip) {
    const dripping = setInterval(() => socket.write(drip.text), drip.everyMs);
    socket.once('close', () => clearInterval(dripping));
  }
  return new Promise((resolve) => {
    socket.once('close', resolve);
    socket.once(isTls ? 'secureConnect' : 'connect', () => socket.write(text, () => resolve()));
  });
}

async function openAll(): Promise<void> {
  for (let n = 0; n < count; n += AT_ONCE) {
    const opening = Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, more) => open(n + more));
    await Promise.all(opening);
  }
  console.log('all there');
}
void openAll();
// Also when the server has sent all of them away.
setInterval(() => {}, 60_000);

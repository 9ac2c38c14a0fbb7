/** The applications: keep-alive connections that send one set command after the other to random products. */
import { monotonicNowMs } from '@relaygate/shared/system';
import { quantile } from '../distribution';
import { HttpConnection } from './http-connection';
import { answerQuestions } from './load-process';

export interface CommandLoad {
  port: number;
  productLogins: readonly string[];
  /** Absent: an echo server. */
  token?: string;
  connections: number;
  durationMs: number;
}

export interface CommandLoadResult {
  confirmed: number;
  /** Answers other than 200, by status; 0: no answer. */
  failed: Record<number, number>;
  tookMs: number;
  p50Ms: number;
  p99Ms: number;
}

answerQuestions(async (load: CommandLoad): Promise<CommandLoadResult> => {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => HttpConnection.open(load.port)));
  const requests = load.productLogins.map((login) => ([0, 1] as const).map((state) => requestOf(load, login, state)));
  // A product takes one command at a time (409), so only those without one are drawn from.
  const free = load.productLogins.map((_, n) => n);
  const latenciesMs: number[] = [];
  const failed: Record<number, number> = {};
  const startedMs = monotonicNowMs();
  const endMs = startedMs + load.durationMs;

  const drive = (connection: HttpConnection): Promise<void> =>
    new Promise((resolve) => {
      const next = (): void => {
        const sentMs = monotonicNowMs();
        const product = drawn(free);
        const request = requests[product]?.[Math.random() < 0.5 ? 0 : 1];
        if (sentMs >= endMs || !request) return resolve();
        connection.exchange(request, (status) => {
          free.push(product);
          if (status === 200) latenciesMs.push(monotonicNowMs() - sentMs);
          else failed[status] = (failed[status] ?? 0) + 1;
          if (status === 0) resolve();
          else next();
        });
      };
      next();
    });
  await Promise.all(connections.map(drive));
  const tookMs = monotonicNowMs() - startedMs;
  for (const connection of connections) connection.close();
  const [p50Ms, p99Ms] = [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.99)];
  return { confirmed: latenciesMs.length, failed, tookMs, p50Ms, p99Ms };
});

function requestOf({ token }: CommandLoad, productLogin: string, state: 0 | 1): Buffer {
  const body = JSON.stringify(token ? { state } : { productLogin, numOutput: 0, state });
  const line = token ? `PATCH /api/v1/products/${productLogin}/outputs/0` : 'POST /set';
  const head = [
    `${line} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Takes one out at random; -1 when there is none. */
function drawn(from: number[]): number {
  const at = Math.floor(Math.random() * from.length);
  const last = from.pop() ?? -1;
  if (at >= from.length) return last;
  const taken = from[at] ?? -1;
  from[at] = last;
  return taken;
}

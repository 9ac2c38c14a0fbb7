/**
 * A program: gives set commands to a server in this process, and prints for each which functions of ours V8 has called by the
 * time its frame has come to the device. As the server's writer thread, it counts the calls of that thread.
 */
import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { workerThread } from '@relaygate/server/storage/sqlite/writer-thread';
import { v1 } from './api-client';
import { linkNewGate } from './linked-gate';
import { startTestServer } from './test-server';

/** A function by its file and its place there. */
export interface CalledFunction {
  file: string;
  start: number;
  end: number;
}

const COMMANDS = 20;
const OURS = /\/(server|shared)\/dist\/[^?]*\.js$/;

/** Returns what was called since the last time. */
function callCounter(): () => CalledFunction[] {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return () => {
    let called: CalledFunction[] = [];
    session.post('Profiler.takePreciseCoverage', (error, { result } = { result: [] }) => {
      if (error) throw error;
      called = result
        .filter(({ url }) => OURS.test(url))
        .flatMap(({ url, functions }) =>
          functions
            .flatMap(({ ranges: [range] }) => range ?? [])
            .filter(({ count }) => count > 0)
            .map(({ startOffset: start, endOffset: end }) => ({ file: fileURLToPath(url), start, end })),
        );
    });
    return called;
  };
}

const THREAD = 'calls of the writer thread';

function countInThread(): void {
  const take = callCounter();
  const channel = new BroadcastChannel(THREAD);
  channel.onmessage = () => channel.postMessage(take());
  channel.unref();
  require('@relaygate/server/storage/sqlite/write-worker');
}

async function countInServer(): Promise<void> {
  const take = callCounter();
  const channel = new BroadcastChannel(THREAD);
  const takeAll = async (): Promise<CalledFunction[]> => {
    const ofThread = new Promise<CalledFunction[]>((resolve) => {
      channel.onmessage = (event) => resolve((event as { data: CalledFunction[] }).data);
    });
    const ofServer = take();
    channel.postMessage('take');
    return [...ofServer, ...(await ofThread)];
  };
  const server = await startTestServer({ startThread: workerThread(__filename) });
  const { token } = await server.newClientWithToken();
  const { gate, device } = await linkNewGate(server, token);
  const calls: CalledFunction[][] = [];
  for (let n = 0; n < COMMANDS; n += 1) {
    await takeAll();
    const arrived = new Promise<void>((resolve) => {
      device.react = (command) => {
        calls.push(take());
        resolve();
        void answered.then(() => device.obey(command));
      };
    });
    const answer = v1(server.url).set(gate.productLogin, 0, n % 2 === 0 ? 1 : 0, { token });
    const answered = arrived.then(async () => calls[n]?.push(...(await takeAll())));
    await answered;
    const commandId = (await answer).headers.get('command-id') ?? '';
    // Its outcome is written later; the next command must not meet that write.
    await server.untilWritten(commandId);
  }
  channel.close();
  await server.stop();
  process.stdout.write(JSON.stringify(calls));
}

if (isMainThread) void countInServer();
else countInThread();

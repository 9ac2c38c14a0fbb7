/** Keeps an agent busy: asks for its status on agent.sock without a pause. */
import { createConnection } from 'node:net';
import { answerQuestions } from './load-process';

export interface StatusLoad {
  agentSocket: string;
}

/** Enough that the agent never waits for us, and fewer than one connection may have open. */
const OPEN_REQUESTS = 8;

/** Answered as soon as the agent has answered once; the load goes on until the benchmark hangs up. */
answerQuestions(({ agentSocket }: StatusLoad) => {
  let id = 0;
  return new Promise<true>((resolve, reject) => {
    const socket = createConnection(agentSocket, () => ask(OPEN_REQUESTS));
    const ask = (times: number): void => {
      const requests = Array.from({ length: times }, () => `${JSON.stringify({ id: ++id, type: 'status' })}\n`);
      socket.write(requests.join(''));
    };
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      const answers = text.split('\n').length - 1;
      if (answers > 0) ask(answers);
      resolve(true);
    });
    socket.on('error', reject);
  });
});

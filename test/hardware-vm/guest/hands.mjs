// Inside the emulated machine: runs what the harness posts as a shell script, and answers what became of it.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const PORT = 7000;
const LIMIT_MS = 3 * 60_000;

createServer(async (request, response) => {
  let script = '';
  for await (const chunk of request.setEncoding('utf8')) script += chunk;
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => shell.kill('SIGKILL'), LIMIT_MS);
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) {
    shell[stream].setEncoding('utf8').on('data', (text) => {
      printed[stream] += text;
    });
  }
  // Not `close`: a program left in the background may keep the pipes.
  shell.once('exit', (code) => {
    clearTimeout(timer);
    setImmediate(() => response.end(JSON.stringify({ code, ...printed })));
  });
}).listen(PORT, () => console.log('guest: hands ready'));

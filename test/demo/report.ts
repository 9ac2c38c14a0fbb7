/** What the demo prints when all is ready. */

import type { Pids } from '../support/processes/supervisor';
import type { DemoFolder } from './demo-folder';
import type { Installation } from './installation';

/** One line for programs; its members are relied upon (design, "Names that other software relies on"). */
export function reportForPrograms(demo: Installation, folder: DemoFolder, pids: Pids): string {
  const { api, clientKey, productLogin, productKey, relayctl } = demo;
  return JSON.stringify({
    baseUrl: api.baseUrl,
    clientKey,
    productLogin,
    productKey,
    dataDir: folder.path,
    edgeLog: folder.edgeLog,
    inputs: folder.inputs,
    pids,
    relayctl: commandLine(relayctl),
  });
}

export function reportForPeople(demo: Installation, folder: DemoFolder): string {
  const { api, clientKey, productLogin, productKey, accessToken, relayctl } = demo;
  const output = `${api.baseUrl}/v1/products/${productLogin}/outputs`;
  const json = ['-H', 'Content-Type: application/json'];
  const curl = ['curl', '-sS', '-w', '\\n'];
  const switchOn = [...curl, '-X', 'PATCH', `${output}/0`, '-H', `Authorization: Bearer ${accessToken}`, ...json];
  const login = [...curl, `${api.baseUrl}/v1/auth/login`, ...json, '-d', JSON.stringify({ clientKey })];
  return `
Relaygate is ready.

  base URL       ${api.baseUrl}
  client key     ${clientKey}
  product login  ${productLogin}
  product key    ${productKey}
  data           ${folder.path}
  try it out     ${api.baseUrl.replace(/\/api$/, '/docs')}

Switch output 0 on ({"state":0}: off; outputs/1 is on-off too, 2 and 3 give an impulse of 500 ms):

  ${commandLine([...switchOn, '-d', '{"state":1}'])}

The access token in it lives for 10 minutes. A new one:

  ${commandLine(login)}

Watch the relays of the simulated board (level 1: energised):

  tail -f ${quoted(folder.edgeLog)}

${inputsText(demo, folder)}

On the device itself, what a technician uses:

  ${commandLine(relayctl)} status

Ctrl-C stops everything.
`;
}

function inputsText({ hasDemoInputs }: Installation, { inputs }: DemoFolder): string {
  if (!hasDemoInputs)
    return `The device in this folder does not have the demo's button and contact: the folder is older than they are, or
somebody has changed its settings, which stay. A demo in a new folder has them.`;
  return `Press the button "Exit", which gives a pulse on output 2:

  ${pressLine(inputs)}

Open the gate, as its contact sees it (to close it: low):

  ${gateLine(inputs, 'high')}`;
}

/** Down for long enough to be no bouncing, and up again. */
export function pressLine(inputs: string): string {
  return `f=${quoted(inputs)}; for level in low high; do ${inputTo('$level', 2)}; sleep 0.3; done`;
}

export function gateLine(inputs: string, level: 'high' | 'low'): string {
  return `f=${quoted(inputs)}; ${inputTo(level, 1)}`;
}

/** The board may read the file at any time, so it is replaced whole. */
function inputTo(level: string, place: number): string {
  return `sed "s/[a-z][a-z]*/${level}/${place}" "$f" > "$f.new" && mv "$f.new" "$f"`;
}

const commandLine = (words: readonly string[]): string => words.map(quoted).join(' ');

/** As a POSIX shell takes it. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

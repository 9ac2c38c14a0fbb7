// A device that holds to shared/README.md and imports nothing of ours: it shows that the text is enough.
//   node device.mjs --server ws://127.0.0.1:8080 --server-name relaygate --product gate-1 --code EXXXXXX-...
//     [--cut-before N] [--cut-after N]   cuts its first link when a command for output N comes: before it executes it,
//                                        or after that and before it says so
// Outputs 0 to 2 are on-off, output 3 is impulse. Prints one JSON line for whatever happens.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openWebSocket } from './web-socket.mjs';

const SUBPROTOCOL = 'relaygate.link.v1';
const HANDSHAKE_MS = 10_000;
const HEARTBEAT_MS = 10_000;
const SILENCE_MS = 15_000;
/** A link that was up for this long has worked. */
const STEADY_MS = 5_000;
const SAMPLE_LIFE_MS = 60_000;
const SAMPLES_BEFORE_RESUME = 3;
const DRIFT = 200e-6;

const text = { type: 'string' };
const { values: options } = parseArgs({
  options: { server: text, 'server-name': text, product: text, code: text, 'cut-before': text, 'cut-after': text },
});
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const publicKeyText = publicKey.export({ format: 'jwk' }).x;
const bootId = random(12);
const instanceId = random(12);

const outputs = ['Lamp', 'Heating', 'Siren', 'Gate'].map((name, numOutput) => {
  return { numOutput, name, mode: numOutput === 3 ? 'impulse' : 'on-off', state: 0, pulseMs: 300 };
});
/** Each pulse opens or closes the gate. */
const contact = { numInput: 3, name: 'Gate contact', kind: 'contact', state: 'closed' };
/** Command id -> its outcome, of this boot; enough for a test, a real device bounds it. */
const outcomes = new Map();
let isEnrolled = false;
let hasCut = false;
let failedTries = 0;
/** Those that came to a link, from the latest steady one on. */
let endedLinks = 0;
let takeovers = 0;
let report = () => {};

connect();

function connect() {
  const deviceNonce = random(32);
  let stage = 'greeting';
  let epoch = 0;
  let samples = [];
  let question = { seq: 0, sentMs: null };
  let unresolved = [];
  let upSinceMs = null;
  let heartbeat;
  let silence;
  const handshake = setTimeout(() => socket.cut(), HANDSHAKE_MS);
  const socket = openWebSocket(`${options.server}/device/v1/link`, SUBPROTOCOL, { opened, text: heard, closed });

  function opened() {
    alive();
    const { product: productLogin } = options;
    send({
      type: 'hello',
      productLogin,
      publicKey: publicKeyText,
      deviceNonce,
      agentVersion: 'e2e',
      bootId,
      instanceId,
    });
  }

  function heard(frame) {
    const receivedMs = nowMs();
    alive();
    const message = JSON.parse(frame);
    if (message.type === 'challenge' && stage === 'greeting') prove(message);
    else if (message.type === 'welcome' && stage === 'proving') welcomed(message);
    else if (message.type === 'welcome' && stage === 'greeting') socket.cut();
    else if (message.type === 'time') timeTold(message, receivedMs);
    else if (message.type === 'command' && stage === 'up' && message.epoch === epoch) commanded(message);
  }

  function prove({ serverNonce, serverName }) {
    const expected = options['server-name'];
    if (serverName !== expected) return socket.cut();
    stage = 'proving';
    const lines = [SUBPROTOCOL, expected, options.product, publicKeyText, deviceNonce, serverNonce];
    const signature = sign(null, Buffer.from(lines.map((line) => `${line}\n`).join('')), privateKey).toString(
      'base64url',
    );
    send({ type: 'proof', signature, ...(isEnrolled ? {} : { enrolmentCode: options.code }) });
  }

  function welcomed(message) {
    isEnrolled = true;
    stage = 'syncing';
    ({ epoch, unresolved } = message);
    askTime();
  }

  function askTime() {
    question = { seq: question.seq + 1, sentMs: nowMs() };
    send({ type: 'time', seq: question.seq });
  }

  function timeTold({ seq, serverMs }, receivedMs) {
    if (seq !== question.seq || question.sentMs === null) return;
    samples = [...samples, { sentMs: question.sentMs, receivedMs, serverMs }].slice(-8);
    question.sentMs = null;
    if (stage !== 'syncing') return;
    if (samples.length < SAMPLES_BEFORE_RESUME) askTime();
    else resume();
  }

  function resume() {
    stage = 'up';
    clearTimeout(handshake);
    upSinceMs = nowMs();
    report = () => send({ type: 'report', outputs, inputs: [contact], faults: [] });
    report();
    const known = unresolved.filter((id) => outcomes.has(id));
    // Nothing waits here and the memory is whole, so what is not in it has never begun.
    const notStarted = unresolved.filter((id) => !outcomes.has(id));
    send({ type: 'resume', outcomes: known.map((id) => outcomes.get(id)), notStarted });
    heartbeat = setInterval(askTime, HEARTBEAT_MS);
    say({ event: 'up', epoch, known, notStarted });
  }

  function commanded(command) {
    if (cuts('cut-before', command)) return;
    const { commandId } = command;
    if (!outcomes.has(commandId))
      outcomes.set(commandId, { commandId, numOutput: command.numOutput, ...execute(command) });
    if (cuts('cut-after', command)) return;
    send({ type: 'result', ...outcomes.get(commandId) });
    say({ event: 'result', ...outcomes.get(commandId) });
  }

  function execute({ numOutput, action, state, executeBeforeMs }) {
    const output = outputs[numOutput];
    const startBeforeMs = localDeadlineMs(samples, executeBeforeMs);
    if (startBeforeMs === null) return { outcome: 'refused', reason: 'no-time-sync' };
    if (action === 'set' && state === undefined) return { outcome: 'refused', reason: 'bad-command' };
    if (!output) return { outcome: 'refused', reason: 'no-such-output' };
    if (nowMs() >= startBeforeMs) return { outcome: 'expired', state: output.state };
    return output.mode === 'impulse' ? pulse(output, action, state) : switchTo(output, action, state);
  }

  function cuts(option, { numOutput }) {
    if (hasCut || options[option] !== String(numOutput)) return false;
    hasCut = true;
    socket.cut();
    return true;
  }

  function closed(code) {
    stage = 'closed';
    for (const timer of [handshake, heartbeat, silence]) clearTimeout(timer);
    report = () => {};
    if (upSinceMs !== null) {
      failedTries = nowMs() - upSinceMs >= STEADY_MS ? 0 : endedLinks;
    }
    const waitMs = waitAfter(code);
    if (upSinceMs !== null) endedLinks = failedTries;
    say({ event: 'closed', code, waitMs });
    setTimeout(connect, waitMs);
  }

  function alive() {
    clearTimeout(silence);
    silence = setTimeout(() => socket.cut(), SILENCE_MS);
  }

  function send(message) {
    socket.send(JSON.stringify(message));
  }
}

function localDeadlineMs(samples, executeBeforeMs) {
  const alive = samples.filter(({ receivedMs }) => nowMs() - receivedMs <= SAMPLE_LIFE_MS);
  const [best] = alive.sort((a, b) => a.receivedMs - a.sentMs - (b.receivedMs - b.sentMs));
  if (!best) return null;
  const midpointMs = (best.sentMs + best.receivedMs) / 2;
  const estimateMs = executeBeforeMs - (best.serverMs - midpointMs);
  return estimateMs - (best.receivedMs - best.sentMs) / 2 - DRIFT * Math.max(0, estimateMs - midpointMs);
}

function switchTo(output, action, state) {
  const desired = action === 'toggle' ? 1 - output.state : state;
  if (desired === output.state) return { outcome: 'already-set', state: desired };
  move(output, desired);
  return { outcome: 'executed', state: desired };
}

function pulse(output, action, state) {
  if (output.state === 0 && (action === 'toggle' || state === 1)) {
    move(output, 1);
    setTimeout(() => {
      move(output, 0);
      contact.state = contact.state === 'open' ? 'closed' : 'open';
      report();
    }, output.pulseMs);
  }
  return { outcome: 'executed', state: output.state };
}

function move(output, state) {
  output.state = state;
  say({ event: 'moved', numOutput: output.numOutput, state });
}

function waitAfter(code) {
  if (code === 4409) {
    takeovers += 1;
    return Math.min(3_600_000, 60_000 * 2 ** (takeovers - 1));
  }
  if (code === 4401 || code === 4410 || code === 4429) return 30_000 * (1 + Math.random());
  failedTries += 1;
  const mostMs = Math.min(60_000, 1_000 * 2 ** (failedTries - 1));
  return failedTries === 1 ? mostMs * Math.random() : (mostMs / 2) * (1 + Math.random());
}

function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

function random(bytes) {
  return randomBytes(bytes).toString('base64url');
}

function say(line) {
  console.log(JSON.stringify(line));
}

/** A console's session over a device that records what is asked of it. */
import { ConsoleAgent } from '@relaygate/device-agent/agent/technician/console/console-agent';
import { ConsoleSession } from '@relaygate/device-agent/agent/technician/console/console-session';
import type { DeviceStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import type { Diagnosis } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import type { WebStatus } from '@relaygate/device-agent/agent/technician/local-messages/web';
import type { PinVerdict } from '@relaygate/device-agent/agent/technician/pin/pin-gate';
import type { ConsoleTranslations } from '@relaygate/device-agent/locales/console';
import { localeOf } from '@relaygate/device-agent/locales/locales';
import { EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import { type ConsoleLanguage, completeOutput, type InputSettings } from '@relaygate/shared/device';
import { DEMO_OUTPUTS } from '../../../../../support/device/device';
import { settled, VirtualClock } from '../../../../../support/time/virtual-clock';

export const PIN = '12345678';
export const STATUS: DeviceStatus = {
  nowMs: 0,
  productLogin: 'gate-1',
  agentVersion: '0.1.0',
  link: { isUp: false, serverUrl: 'wss://gate.example.com', epoch: null, problem: 'nobody answers', cause: 'other' },
  guard: { isReachable: true, problem: null },
  outputs: DEMO_OUTPUTS.map((output, numOutput) => ({ numOutput, ...completeOutput(output), state: 0 })),
  faults: [{ code: 'not-linked', text: 'Not linked: nobody answers.' }],
  webLeftMs: null,
  lastCommands: [],
};
const PAGE_OFF: WebStatus = { isOn: false, leftMs: null, port: 8443, urls: [], fingerprint: null, hotspotSsid: null };
export const PAGE_ON: WebStatus = {
  isOn: true,
  leftMs: 1_800_000,
  port: 8443,
  urls: ['https://192.0.2.7:8443/'],
  fingerprint: 'AA:BB',
  hotspotSsid: null,
};
export const DIAGNOSIS: Diagnosis = {
  isWell: false,
  findings: [
    { name: 'agent', check: 'agent', verdict: 'ok', code: 'a', found: 'runs', means: '', cure: '' },
    {
      name: 'clock',
      check: 'clock',
      verdict: 'warn',
      code: 'b',
      found: 'not set',
      means: 'no time in the log',
      cure: 'wait for the network',
    },
    {
      name: 'guard',
      check: 'guard',
      verdict: 'fail',
      code: 'c',
      found: 'away',
      means: 'nothing moves',
      cure: 'start it',
    },
  ],
};
export const WIRING = { kind: 'gpio', chip: null, lines: [5, 6], activeLevels: ['low', 'low'] };
const PROVEN = {
  result: 'proven',
  proof: { provenAt: '2026-03-01T12:00:00.000Z', by: 'Ana', profile: null, wiring: WIRING },
};
const INPUTS: InputSettings[] = [{ kind: 'button', numInput: 2, name: 'Exit', output: 3, action: 'pulse' }];
/** With each of them: whoever is there is known no better, and has just said so. */
export const BY_CONSOLE = { notAfterMs: new VirtualClock().nowMs() + EXECUTION_DEADLINE_MS, actor: 'console' };
/** What moves something or changes it. */
const ACTS = ['set', 'pulse', 'stop', 'output', 'input', 'web-on', 'web-off', 'lock', 'unlock', 'prove'];
/** The number of a menu's item. */
export const item = (word: keyof ConsoleTranslations['menu'] & string): string =>
  String(Object.keys(localeOf('en').console.menu).indexOf(word) + 1);

/** One login over a device that records what is asked of it. */
export class Talk {
  readonly clock = new VirtualClock();
  readonly asked: { type: string; request: object }[] = [];
  screen = '';
  overs: unknown[] = [];
  verdict: PinVerdict | null = null;
  /** Another one as soon as somebody has made a new PIN. */
  readonly pin = { id: 'pin-1' as string | null };
  pinsTried = 0;
  answers: (type: string, givenUp: AbortSignal) => Promise<unknown> = async (type) => this.#answer(type);
  status = STATUS;
  web = PAGE_OFF;
  readonly session: ConsoleSession;

  constructor(language: ConsoleLanguage = 'en') {
    this.session = new ConsoleSession({
      clock: this.clock,
      agent: new ConsoleAgent(
        {
          perform: (type, request, givenUp) => {
            this.asked.push({ type, request });
            return this.answers(type, givenUp);
          },
        },
        this.clock,
      ),
      pin: Object.assign(this.pin, {
        check: async (pin: string): Promise<PinVerdict> => {
          this.pinsTried += 1;
          return this.verdict ?? (pin === PIN ? { ok: true } : { ok: false, problem: 'wrong', waitS: 0 });
        },
      }),
      language,
      write: (text) => {
        this.screen += text;
      },
      over: (problem) => void this.overs.push(problem),
    });
    this.session.begin();
  }

  get acts() {
    return this.asked.filter(({ type }) => ACTS.includes(type));
  }

  /** What is shown after it. */
  async type(text: string | Uint8Array): Promise<string> {
    const before = this.screen.length;
    this.session.bytes(Buffer.from(text));
    await settled();
    return this.screen.slice(before);
  }

  async lines(...lines: string[]): Promise<string> {
    let shown = '';
    for (const line of lines) shown += await this.type(`${line}\r`);
    return shown;
  }

  #answer(type: string): unknown {
    const [before] = this.status.outputs;
    switch (type) {
      case 'status':
        return this.status;
      case 'identity':
        return {
          productLogin: 'gate-1',
          serverUrl: 'wss://gate.example.com',
          serverName: 'relaygate',
          publicKey: 'k',
          fingerprint: 'aaaa-bbbb',
          hasEnrolmentCode: true,
          webFingerprint: null,
        };
      case 'web-status':
        return this.web;
      case 'web-on':
        return { ...PAGE_ON, hotspotPassphrase: 'abcd-efgh-jkmn' };
      case 'history':
        return { entries: [], faults: [] };
      case 'log':
        return { logId: 'l', events: [] };
      case 'proof':
        return { wiring: WIRING, names: ['Gate', 'Light'], proof: null, isProven: false, isRequired: true };
      case 'prove':
        return PROVEN;
      case 'doctor':
        return DIAGNOSIS;
      case 'inputs':
        return { inputs: INPUTS, mustRestart: false };
      case 'input':
        return { numInput: 0, before: null, after: null, mustRestart: true };
      case 'output':
        return { numOutput: 0, before, after: { ...before, pulseMs: 750 } };
      default:
        return { outcome: 'executed', numOutput: 0 };
    }
  }
}

/** One that knew the PIN. */
export async function loggedIn(language?: ConsoleLanguage): Promise<Talk> {
  const talk = new Talk(language);
  await settled();
  await talk.lines(PIN);
  return talk;
}

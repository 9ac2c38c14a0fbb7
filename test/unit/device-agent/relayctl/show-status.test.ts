import { describe, expect, test } from '@jest/globals';
import type { DeviceStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import { RELAYCTL } from '@relaygate/device-agent/locales/en/relayctl';
import { showStatus as shownIn } from '@relaygate/device-agent/relayctl/show-status';
import { completeOutput } from '@relaygate/shared/device';
import { DEMO_OUTPUTS } from '../../../support/device/device';

const showStatus = (status: DeviceStatus): string => shownIn(status, RELAYCTL);
const COLUMNS = 80;
const LINES = 24;

const device = (changes: Partial<DeviceStatus> = {}): DeviceStatus => ({
  nowMs: 0,
  productLogin: 'gate-1',
  agentVersion: '0.1.0',
  link: { isUp: true, serverUrl: 'wss://gate.example.com', epoch: 12, problem: null, cause: null },
  guard: { isReachable: true, problem: null },
  outputs: DEMO_OUTPUTS.map((output, numOutput) => ({ numOutput, ...completeOutput(output), state: 0 as const })),
  lastCommands: [],
  faults: [],
  webLeftMs: null,
  ...changes,
});

describe('relayctl status', () => {
  test('shows states, the rest of a pulse, locks, and the last commands with who gave them, the newest first', () => {
    const [one, two, three, four] = device().outputs;
    if (!one || !two || !three || !four) throw new Error('the demo has four outputs');
    const text = showStatus(
      device({
        outputs: [
          { ...one, state: 1, unproven: true, confirmedBy: 'write' },
          { ...two, endedBy: 'max-on' },
          { ...three, state: 1, pulseLeftMs: 320, pulseEndedBy: 'board' },
          { ...four, state: null, lock: { leftMs: 7_140_000, by: 'relayctl as ana' } },
        ],
        lastCommands: [
          { numOutput: 0, words: 'set 0 on', by: 'Kiosk', outcome: 'executed', at: null, agoMs: 125_000 },
          { numOutput: 3, words: 'pulse 3', by: null, outcome: 'refused', reason: 'locked', at: null, agoMs: 4_000 },
        ],
        faults: [{ code: 'full', text: 'The card is full.' }],
      }),
    );
    expect(text).toMatch(/^link +wss:\/\/gate.example.com up \(epoch 12\)$/m);
    expect(text).toMatch(/^0 +on \(unproven, as written\) +on-off/m);
    expect(text).toMatch(/^1 +off \(by max-on\) +on-off/m);
    expect(text).toMatch(/^2 +on, 320 ms left +impulse +500 ms \(by the board\)/m);
    expect(text).toMatch(/^3 +unknown \(locked\) +impulse/m);
    expect(text).toMatch(/^locked +output 3 for 1h 59m by relayctl as ana$/m);
    expect(text).toMatch(
      /^last commands\npulse 3 +refused \(locked\) +4s ago\nset 0 on +executed +2m 5s ago +by Kiosk$/m,
    );
    expect(text).toMatch(/^faults\n- The card is full.$/m);
  });

  test('shows inputs that mean something, and since when', () => {
    const text = showStatus(
      device({
        inputs: [
          { numInput: 0, name: 'Gate closed', kind: 'contact', state: 'open', forMs: 65_000 },
          { numInput: 5, name: 'Exit', kind: 'button', state: null },
        ],
      }),
    );
    expect(text).toMatch(/^input +state +kind +name$/m);
    expect(text).toMatch(/^0 +open, for 1m 5s +contact +Gate closed$/m);
    expect(text).toMatch(/^5 +unknown +button +Exit$/m);
  });

  test('says of a lock that it is in force and not saved', () => {
    const outputs = device().outputs.map((output) => ({
      ...output,
      lock: { leftMs: 7_140_000, by: 'relayctl as ana', isUnsaved: true as const },
    }));
    expect(showStatus(device({ outputs }))).toMatch(/^locked +output 3 for 1h 59m \(not saved\) by relayctl as ana$/m);
  });

  test.each([0, 1, 2, 7, 30])('is one screen whatever is on it, with %i long faults', (count) => {
    const text = showStatus(
      device({
        productLogin: 'p'.repeat(64),
        link: {
          isUp: false,
          serverUrl: `wss://${'long.'.repeat(30)}example`,
          epoch: null,
          problem: 'x'.repeat(200),
          cause: 'other',
        },
        guard: { isReachable: false, problem: 'y'.repeat(200) },
        outputs: device().outputs.map((output) => ({
          ...output,
          name: 'n'.repeat(64),
          pulseMs: 3_600_000,
          state: 1,
          unproven: true,
          pulseLeftMs: 3_599_999,
          interlock: 'i'.repeat(32),
          maxOnMs: 86_400_000,
          minSwitchIntervalMs: 3_600_000,
          lock: { leftMs: 600_000_000, by: `relayctl as ${'z'.repeat(80)}` },
        })),
        lastCommands: Array.from({ length: 5 }, () => ({
          numOutput: 63,
          words: 'set 63 off',
          by: 'b'.repeat(100),
          outcome: 'unproven',
          reason: 'feedback-missing',
          at: null,
          agoMs: 600_000_000,
        })),
        faults: Array.from({ length: count }, (_, n) => ({ code: 'x', text: `Fault ${n} ${'words '.repeat(40)}` })),
      }),
    );
    const lines = text.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(COLUMNS);
    expect(lines.length).toBeLessThanOrEqual(LINES);
    if (count > 0) expect(text).toContain('Fault 0');
  });
});

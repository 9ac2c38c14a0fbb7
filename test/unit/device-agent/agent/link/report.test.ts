import { describe, expect, test } from '@jest/globals';
import { ReportedState, reportOf } from '@relaygate/device-agent/agent/link/report';
import {
  LINK_MAX_FRAME_BYTES,
  LOCK_MAX_MS,
  MAX_INPUTS,
  MAX_OUTPUTS,
  OUTPUT_NAME_MAX_CHARS,
  PULSE_MAX_MS,
  type ReportedInput,
  readDeviceFrame,
} from '@relaygate/shared';
import { DEMO_OUTPUTS } from '../../../../support/device/device';

const [OUTPUT] = DEMO_OUTPUTS;
if (!OUTPUT) throw new Error('the demo has outputs');
const guard = {
  bootId: 'b',
  epoch: 1,
  outputs: DEMO_OUTPUTS.map((settings) => ({ settings, state: 0 as const })),
  faults: [],
};

const gate: ReportedInput = { numInput: 3, name: 'Gate', kind: 'contact', state: 'closed' };
const withInputs = (...inputs: ReportedInput[]) => reportOf(DEMO_OUTPUTS, guard, [], () => null, inputs);

describe('a report', () => {
  test.each(['a', '"', '\u{1f6aa}', '\ud800'])(
    'of the most outputs with the longest names of %j fits into a frame',
    (char) => {
      const settings = Array.from({ length: MAX_OUTPUTS }, () => ({
        ...OUTPUT,
        name: char.repeat(OUTPUT_NAME_MAX_CHARS),
      }));
      const faults = Array.from({ length: 100 }, () => char.repeat(1_000));
      const outputs = settings.map((output) => ({ settings: output, state: null, confirmedBy: 'write' as const }));
      const text = JSON.stringify(reportOf(settings, { ...guard, outputs }, faults));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LINK_MAX_FRAME_BYTES);
      expect(readDeviceFrame(text).kind).toBe('message');
    },
  );

  test.each(['a', '"', '\u{1f6aa}', '\ud800'])(
    'of the most outputs and the most inputs fits too, with the longest names of %j, the longest words and a lock everywhere',
    (char) => {
      const [name, word] = [char.repeat(OUTPUT_NAME_MAX_CHARS), 'w'.repeat(32)];
      const settings = Array.from({ length: MAX_OUTPUTS }, () => ({ ...OUTPUT, name, pulseMs: PULSE_MAX_MS }));
      const outputs = settings.map((output) => ({ settings: output, state: null, confirmedBy: 'write' as const }));
      const inputs = Array.from({ length: MAX_INPUTS }, (_, numInput) => ({ numInput, name, kind: word, state: word }));
      const faults = Array.from({ length: 100 }, () => char.repeat(1_000));
      const text = JSON.stringify(reportOf(settings, { ...guard, outputs }, faults, () => LOCK_MAX_MS, inputs));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LINK_MAX_FRAME_BYTES);
      const frame = readDeviceFrame(text);
      expect(frame).toMatchObject({ kind: 'message', message: { faults: { 0: expect.any(String) } } });
      const told = frame.kind === 'message' && frame.message.type === 'report' ? frame.message : undefined;
      expect([told?.outputs.length, told?.inputs?.length]).toEqual([MAX_OUTPUTS, MAX_INPUTS]);
    },
  );

  test('of many inputs has names as long as fit', () => {
    const name = 'é'.repeat(OUTPUT_NAME_MAX_CHARS);
    const inputs = Array.from({ length: MAX_INPUTS }, (_, numInput) => ({ ...gate, numInput, name }));
    expect(withInputs(...inputs).inputs?.[63]).toEqual({ ...gate, numInput: 63, name });
    const settings = Array.from({ length: MAX_OUTPUTS }, () => ({ ...OUTPUT, name }));
    const both = reportOf(settings, null, [], () => null, inputs);
    expect([both.outputs[63]?.name, both.inputs?.[63]?.name]).toEqual(['é'.repeat(16), 'é'.repeat(16)]);
  });

  test('has no member for inputs if there are none', () => {
    expect(withInputs()).not.toHaveProperty('inputs');
    expect(withInputs(gate)).toHaveProperty('inputs', [gate]);
  });

  test('is news when an input changes, comes or goes', () => {
    const told = new ReportedState();
    told.reported(withInputs(gate), 0);
    expect(told.isNews(withInputs({ ...gate }), 0)).toBe(false);
    for (const changed of [{ state: 'open' }, { state: null }, { name: 'Door' }, { kind: 'tamper' }, { numInput: 4 }])
      expect(told.isNews(withInputs({ ...gate, ...changed }), 0)).toBe(true);
    expect(told.isNews(withInputs(gate, { ...gate, numInput: 4 }), 0)).toBe(true);
    expect(told.isNews(withInputs(), 0)).toBe(true);
    told.confirmed(1, 1);
    expect(told.isNews(withInputs(gate), 0)).toBe(true);
    const outputs = guard.outputs.map((output, n) => (n === 1 ? { ...output, state: 1 as const } : output));
    expect(
      told.isNews(
        reportOf(DEMO_OUTPUTS, { ...guard, outputs }, [], () => null, [gate]),
        0,
      ),
    ).toBe(false);
  });

  test('says of an output that its board can only be written', () => {
    const outputs = guard.outputs.map((output, n) => (n === 1 ? { ...output, confirmedBy: 'write' as const } : output));
    const confirmed = reportOf(DEMO_OUTPUTS, { ...guard, outputs }, []).outputs.map(({ confirmedBy }) => confirmedBy);
    expect(confirmed).toEqual([undefined, 'write', undefined, undefined]);
  });

  test('holds what is left of a lock, which is news when it comes, ends or is another, and not as it passes', () => {
    const told = new ReportedState();
    const lockedUntil = (untilMs: number | null, nowMs: number) =>
      reportOf(DEMO_OUTPUTS, guard, [], (numOutput) => (numOutput === 1 && untilMs !== null ? untilMs - nowMs : null));
    expect(lockedUntil(90_000.5, 30_000).outputs[1]).toHaveProperty('lockedForMs', 60_001);
    expect(lockedUntil(90_000, 30_000).outputs[0]).not.toHaveProperty('lockedForMs');
    told.reported(lockedUntil(null, 0), 0);
    expect(told.isNews(lockedUntil(90_000, 10), 10)).toBe(true);
    told.reported(lockedUntil(90_000, 10), 10);
    expect(told.isNews(lockedUntil(90_000, 50_000.3), 50_000.3)).toBe(false);
    expect(told.isNews(lockedUntil(95_000, 50_000), 50_000)).toBe(true);
    expect(told.isNews(lockedUntil(null, 50_000), 50_000)).toBe(true);
  });

  test('is news only when the server does not know it from a result', () => {
    const told = new ReportedState();
    const before = reportOf(DEMO_OUTPUTS, guard, []);
    told.reported(before, 0);
    expect(told.isNews(before, 0)).toBe(false);
    const switched = guard.outputs.map((output, n) => (n === 1 ? { ...output, state: 1 as const } : output));
    const after = reportOf(DEMO_OUTPUTS, { ...guard, outputs: switched }, []);
    expect(told.isNews(after, 0)).toBe(true);
    told.confirmed(1, 1);
    expect(told.isNews(after, 0)).toBe(false);
    expect(told.isNews({ ...after, faults: ['new'] }, 0)).toBe(true);
  });
});

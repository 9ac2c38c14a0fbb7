import { describe, expect, test } from '@jest/globals';
import { type GuardSettings, type InputSettings, parseGuardSettings } from '@relaygate/shared/device';
import { DEMO_OUTPUTS } from '../../../support/device/device';

const EXIT: InputSettings = { kind: 'button', numInput: 0, name: 'Exit', output: 2, action: 'pulse' };
const settings = (inputs: unknown[], more: Partial<GuardSettings> = {}): unknown => ({
  board: { kind: 'gpio', lines: [1, 2, 3, 4], inputs: [{ line: 5 }, { line: 6 }] },
  outputs: DEMO_OUTPUTS,
  inputs,
  ...more,
});

describe('inputs with a meaning', () => {
  test('are taken', () => {
    const inputs = [EXIT, { kind: 'contact', numInput: 1, name: 'Door', debounceMs: 50, activeLevel: 'high' }];
    expect(parseGuardSettings(settings(inputs))).toMatchObject({ ok: true, value: { inputs } });
  });

  test.each<[string, unknown[], string]>([
    ['no such input', [{ ...EXIT, numInput: 2 }], 'inputs.2.numInput is 2, but the board has the inputs 0 to 1'],
    [
      'two meanings',
      [EXIT, { kind: 'tamper', numInput: 0, name: 'Lid' }],
      'inputs.0.numInput: input 0 has a meaning already',
    ],
    ['no such output', [{ ...EXIT, output: 4 }], 'inputs.0.output is 4, but there are 4 outputs'],
    [
      'a pulse for an on-off output',
      [{ ...EXIT, output: 0 }],
      'inputs.0.action is pulse, which is for impulse outputs',
    ],
    [
      'a toggle for an impulse output',
      [{ ...EXIT, action: 'toggle' }],
      'inputs.0.action is toggle, which is for on-off',
    ],
    [
      'a hold without a limit',
      [{ ...EXIT, output: 0, action: 'hold' }],
      'inputs.0.action is hold, and output 0 has no maxOnMs',
    ],
    ['a control character', [{ ...EXIT, name: 'A\u0085B' }], 'inputs.0.name'],
  ])('are refused: %s', (_what, inputs, problem) => {
    const parsed = parseGuardSettings(settings(inputs));
    expect(parsed).toMatchObject({ ok: false });
    expect(JSON.stringify(parsed)).toContain(problem);
  });

  test.each<[string, object, string]>([
    ['for its output', { output: 4 }, 'inputs.1.output is 4'],
    ['for its action', { action: 'toggle' }, 'inputs.1.action is toggle'],
  ])('are named by their number, wherever they stand in the file: %s', (_what, wrong, problem) => {
    const parsed = parseGuardSettings(settings([{ ...EXIT, numInput: 1, ...wrong }]));
    expect(parsed).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  test('are refused where the input shows an output', () => {
    const outputs = DEMO_OUTPUTS.map((output, n) => (n === 3 ? { ...output, feedbackInput: 0 } : output));
    expect(JSON.stringify(parseGuardSettings(settings([EXIT], { outputs })))).toContain(
      'input 0 shows output 3 already',
    );
  });

  test('are refused where a hold would come on by itself, or two buttons hold one output', () => {
    const hold = { ...EXIT, action: 'hold', output: 0 };
    const held = (more: object) => DEMO_OUTPUTS.map((output, n) => (n === 0 ? { ...output, ...more } : output));
    const refused = (inputs: unknown[], more: object) =>
      JSON.stringify(parseGuardSettings(settings(inputs, { outputs: held({ maxOnMs: 5_000, ...more }) })));
    expect(refused([hold], { powerOn: 'restore' })).toContain('powerOn of output 0 is not off');
    expect(refused([{ ...hold, numInput: 1 }, hold], {})).toContain(
      'inputs.1.output 0 has another button with action hold',
    );
    expect(refused([hold], {})).toContain('"ok":true');
  });
});

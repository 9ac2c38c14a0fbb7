/** What a device with a key of its own may send that no device of ours would: sequences of frames (T18, I15). */
import fc from 'fast-check';

/** `raw` goes out as it is, `binary` as a binary frame; `good` plays the next right step of the handshake. */
export type HostileFrame =
  | { kind: 'good'; step: 'hello' | 'report' | 'resume' | 'time' }
  | { kind: 'raw'; text: string }
  | { kind: 'binary'; bytes: Uint8Array };

const TYPES = ['hello', 'challenge', 'proof', 'welcome', 'time', 'report', 'resume', 'command', 'result'].concat([
  'events',
  'events-kept',
  '__proto__',
]);
const MEMBERS = [
  'seq',
  'outputs',
  'faults',
  'outcomes',
  'notStarted',
  'commandId',
  'outcome',
  'reason',
  'numOutput',
  'inputs',
].concat([
  'state',
  'productLogin',
  'publicKey',
  'deviceNonce',
  'agentVersion',
  'bootId',
  'instanceId',
  'signature',
  'historyId',
  'entries',
  '__proto__',
]);

/** Made here: the first of its kind builds tables for a second, in which a server of this process would answer nobody. */
const anyText = fc.string({ unit: 'binary', maxLength: 100 });

/** `commandIds`: of other products' commands, and none. */
export function hostileSequences(commandIds: readonly string[]): fc.Arbitrary<HostileFrame[]> {
  const commandId = fc.oneof(fc.constantFrom(...commandIds), fc.uuid(), fc.string({ maxLength: 70 }));
  const outcome = fc.constantFrom('executed', 'already-set', 'refused', 'unproven', 'expired', 'pending', 'toString');
  const number = fc.oneof(fc.integer({ min: -1, max: 1_001 }), fc.constantFrom(0, 1), fc.double());
  const resolved = fc.record(
    { commandId, outcome, numOutput: number, state: number, reason: fc.string({ maxLength: 70 }) },
    { requiredKeys: ['commandId', 'outcome'] },
  );
  const output = fc.record({
    numOutput: number,
    name: fc.string({ unit: 'binary', maxLength: 70 }),
    mode: fc.constantFrom('on-off', 'impulse', 'other'),
    state: fc.oneof(fc.constantFrom(0, 1, null), number),
    pulseMs: fc.oneof(fc.constantFrom(50, 500, 3_600_000), number),
  });
  const input = fc.record({
    numInput: number,
    name: fc.string({ unit: 'binary', maxLength: 70 }),
    kind: fc.constantFrom('contact', 'button', 'Contact', '__proto__', ''),
    state: fc.oneof(fc.constantFrom('open', 'closed', null, 'a'.repeat(33)), number),
  });
  const entry = fc.record(
    {
      seq: fc.oneof(number, fc.integer({ min: 1 }), fc.constant(1e300)),
      actor: fc.string({ unit: 'binary', maxLength: 110 }),
      kind: fc.constantFrom('output', 'set-on', 'Bad Kind'),
      numOutput: number,
      changes: fc.array(fc.record({ member: fc.string(), from: fc.jsonValue(), to: fc.jsonValue() }), { maxLength: 3 }),
      atMs: fc.oneof(number, fc.constant(null), fc.constant(1e300)),
      bootId: fc.constantFrom('b', ''),
      bootMs: number,
    },
    { requiredKeys: ['seq', 'actor', 'kind', 'changes', 'atMs', 'bootId', 'bootMs'] },
  );
  const likely = fc.oneof(
    resolved.map((members) => ({ type: 'result', ...members })),
    fc.record(
      {
        type: fc.constant('report'),
        outputs: fc.array(output, { maxLength: 70 }),
        inputs: fc.array(input, { maxLength: 70 }),
        faults: fc.array(fc.string({ maxLength: 210 }), { maxLength: 18 }),
      },
      { requiredKeys: ['type', 'outputs', 'faults'] },
    ),
    fc.record({
      type: fc.constant('resume'),
      outcomes: fc.array(resolved, { maxLength: 8 }),
      notStarted: fc.array(commandId, { maxLength: 70 }),
    }),
    fc.record({ type: fc.constant('time'), seq: number }),
    fc.record({
      type: fc.constant('events'),
      historyId: fc.constantFrom('A'.repeat(16), 'B'.repeat(16), 'short'),
      entries: fc.array(entry, { maxLength: 66 }),
    }),
  );
  const shapeless = fc
    .tuple(fc.constantFrom(...TYPES), fc.dictionary(fc.constantFrom(...MEMBERS), fc.jsonValue({ maxDepth: 2 })))
    .map(([type, members]) => ({ ...members, type }));
  const raw = fc
    .oneof(
      { arbitrary: likely.map((message) => JSON.stringify(message)), weight: 6 },
      shapeless.map((message) => JSON.stringify(message)),
      fc.json({ maxDepth: 3 }),
      anyText,
      fc.integer({ min: 16_000, max: 17_000 }).map((size) => `{"type":"x","padding":"${'x'.repeat(size)}"}`),
      fc.integer({ min: 1, max: 5_000 }).map((depth) => '['.repeat(depth)),
    )
    .map((text): HostileFrame => ({ kind: 'raw', text }));
  const good = fc
    .constantFrom('hello' as const, 'report' as const, 'resume' as const, 'time' as const)
    .map((step): HostileFrame => ({ kind: 'good', step }));
  const binary = fc.uint8Array({ maxLength: 40 }).map((bytes): HostileFrame => ({ kind: 'binary', bytes }));
  return fc.array(
    fc.oneof({ arbitrary: raw, weight: 8 }, { arbitrary: good, weight: 6 }, { arbitrary: binary, weight: 1 }),
    { minLength: 1, maxLength: 25 },
  );
}

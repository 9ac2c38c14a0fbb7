import { describe, expect, test } from '@jest/globals';
import { type DeviceMessage, readDeviceFrame, readServerFrame, type ServerMessage } from '@relaygate/shared';
import fc from 'fast-check';
import { generatedRounds } from '../../support/chance/generated-rounds';

const KEY = 'A'.repeat(43);

const DEVICE: DeviceMessage[] = [
  {
    type: 'hello',
    productLogin: 'gate',
    publicKey: KEY,
    deviceNonce: KEY,
    agentVersion: '1',
    bootId: 'b',
    instanceId: 'i',
  },
  { type: 'proof', signature: 'A'.repeat(86) },
  { type: 'proof', signature: 'A'.repeat(86), enrolmentCode: 'CODE' },
  { type: 'time', seq: 0 },
  { type: 'report', outputs: [{ numOutput: 0, name: 'Gate', mode: 'impulse', state: null, pulseMs: 50 }], faults: [] },
  {
    type: 'report',
    outputs: [],
    inputs: [
      { numInput: 0, name: 'Gate', kind: 'contact', state: 'closed' },
      { numInput: 63, name: 'Exit', kind: 'a-newer-kind', state: null },
    ],
    faults: [],
  },
  { type: 'resume', outcomes: [{ commandId: 'c', outcome: 'refused', reason: 'board-failed' }], notStarted: ['d'] },
  { type: 'result', commandId: 'c', outcome: 'executed', numOutput: 0, state: 1 },
  { type: 'events', historyId: 'h'.repeat(16), entries: [] },
  {
    type: 'events',
    historyId: 'h'.repeat(16),
    entries: [
      {
        seq: 3,
        actor: 'relayctl as ana',
        kind: 'output',
        numOutput: 0,
        changes: [{ member: 'outputs.0.pulseMs', from: null, to: 750 }],
        forMs: 60_000,
        outcome: 'executed',
        reason: 'busy',
        about: 1,
        aboutLast: 2,
        atMs: null,
        bootId: 'b',
        bootMs: 12,
      },
    ],
  },
];
const SERVER: ServerMessage[] = [
  { type: 'challenge', serverNonce: KEY, serverName: 'relaygate' },
  { type: 'welcome', epoch: 1, unresolved: ['c'] },
  { type: 'time', seq: 0, serverMs: 12.5 },
  { type: 'command', commandId: 'c', epoch: 1, numOutput: 0, action: 'set', state: 1, executeBeforeMs: 1 },
  { type: 'command', commandId: 'c', epoch: 1, numOutput: 0, action: 'toggle', executeBeforeMs: 1 },
  { type: 'events-kept', historyId: 'h'.repeat(16), upTo: 0 },
];

const withInputs = (inputs: string) => `{"type":"report","outputs":[],"inputs":[${inputs}],"faults":[]}`;

describe('link frames', () => {
  test.each([
    ['\\ud800', '\ufffd'],
    ['a\\uDFFFb', 'a\ufffdb'],
    ['\\ude00\\ud83d', '\ufffd\ufffd'],
    ['\\ud83d\\ude00', '😀'],
    ['\\\\ud800', '\\ud800'],
  ])('the text "%s" of either side is read as %j, which UTF-8 can hold', (escaped, name) => {
    const output = `{"numOutput":0,"name":"${escaped}","mode":"impulse","state":null,"pulseMs":50}`;
    const report = readDeviceFrame(`{"type":"report","outputs":[${output}],"faults":["${escaped}"]}`);
    expect(report).toMatchObject({ message: { outputs: [{ name }], faults: [name] } });
    const command = { type: 'command', commandId: 'c', epoch: 1, numOutput: 0, action: 'toggle', executeBeforeMs: 1 };
    const text = JSON.stringify({ ...command, by: 'BY' }).replace('BY', () => escaped);
    expect(readServerFrame(text)).toMatchObject({ message: { by: name } });
  });

  test.each(DEVICE)('a device’s $type is read as it was sent', (message) => {
    expect(readDeviceFrame(JSON.stringify(message))).toEqual({ kind: 'message', message });
  });

  test.each(SERVER)('a server’s $type is read as it was sent', (message) => {
    expect(readServerFrame(JSON.stringify(message))).toEqual({ kind: 'message', message });
  });

  test('members that this side does not know are let through, and so is what a newer device did', () => {
    expect(readDeviceFrame('{"type":"time","seq":1,"mood":"fine"}').kind).toBe('message');
    const entry = {
      seq: 1,
      actor: 'a',
      kind: 'polish',
      changes: [],
      withWhat: 'wax',
      atMs: null,
      bootId: 'b',
      bootMs: 1,
    };
    const events = { type: 'events', historyId: 'h'.repeat(16), entries: [entry] };
    expect(readDeviceFrame(JSON.stringify(events))).toEqual({ kind: 'message', message: events });
  });

  test.each(['weather', 'constructor', '__proto__', 'toString', ''])(
    'a frame of the type %j is passed over',
    (type) => {
      expect(readDeviceFrame(JSON.stringify({ type }))).toEqual({ kind: 'ignored' });
    },
  );

  test.each([
    '',
    'hello',
    'null',
    '7',
    '[]',
    '{}',
    '{"type":7}',
    '{"type":"time"}',
    '{"type":"time","seq":-1}',
    '{"type":"time","seq":1.5}',
    `{"type":"hello","productLogin":"a","publicKey":"${KEY}","deviceNonce":"${KEY}","agentVersion":"\\u0000","bootId":"b","instanceId":"i"}`,
    '{"type":"result","commandId":"../x","outcome":"executed"}',
    '{"type":"result","commandId":"c","outcome":"perhaps"}',
    '{"type":"report","outputs":[{"numOutput":0,"name":"a\\u0000b","mode":"on-off","state":0,"pulseMs":500}],"faults":[]}',
    ...['64', '-1', '0.5', 'null'].map((n) => withInputs(`{"numInput":${n},"name":"a","kind":"b","state":"c"}`)),
    ...['"Contact"', '"a b"', '""', '7', 'null', `"${'a'.repeat(33)}"`].map((kind) =>
      withInputs(`{"numInput":0,"name":"a","kind":${kind},"state":"c"}`),
    ),
    ...['"Open"', '1', 'true', `"${'a'.repeat(33)}"`].map((state) =>
      withInputs(`{"numInput":0,"name":"a","kind":"b","state":${state}}`),
    ),
    withInputs('{"numInput":0,"name":"a\\u0000b","kind":"b","state":"c"}'),
    withInputs('{"numInput":0,"name":"a","kind":"b"}'),
    withInputs(Array(65).fill('{"numInput":0,"name":"a","kind":"b","state":"c"}').join()),
    '{"type":"report","outputs":[],"inputs":null,"faults":[]}',
    `{"type":"resume","outcomes":[],"notStarted":${JSON.stringify(Array(65).fill('c'))}}`,
  ])('%s is broken, and nothing is thrown', (text) => {
    const frame = readDeviceFrame(text);
    expect(frame).toEqual({ kind: 'broken', problem: expect.any(String) });
  });

  test('whatever text comes, reading it ends in one of three kinds', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ type: fc.constantFrom('hello', 'time', 'result', 'x') }).map((o) => JSON.stringify(o)),
    );
    fc.assert(
      fc.property(text, (frame) => {
        expect(['message', 'ignored', 'broken']).toContain(readDeviceFrame(frame).kind);
        expect(['message', 'ignored', 'broken']).toContain(readServerFrame(frame).kind);
      }),
      generatedRounds(100, 1_000),
    );
  });
});

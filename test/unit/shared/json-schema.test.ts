import { expect, test } from '@jest/globals';
import { parserOf, type Static, Type } from '@relaygate/shared';

const Gate = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'For people.' }),
    mode: Type.Union([Type.Literal('on-off'), Type.Literal('impulse')]),
    pulseMs: Type.Optional(Type.Integer({ minimum: 50 })),
    tags: Type.Array(Type.Union([Type.String(), Type.Null()]), { maxItems: 2 }),
    open: Type.Record('^[0-9]$', Type.Boolean()),
  },
  { additionalProperties: false },
);
const GATE: Static<typeof Gate> = { name: 'gate', mode: 'impulse', tags: ['a', null], open: { '1': true } };

test('a schema is plain JSON Schema', () => {
  expect(JSON.parse(JSON.stringify(Gate))).toEqual({
    type: 'object',
    required: ['name', 'mode', 'tags', 'open'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 1, description: 'For people.' },
      mode: {
        anyOf: [
          { type: 'string', const: 'on-off' },
          { type: 'string', const: 'impulse' },
        ],
      },
      pulseMs: { type: 'integer', minimum: 50 },
      tags: { type: 'array', maxItems: 2, items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      open: { type: 'object', patternProperties: { '^[0-9]$': { type: 'boolean' } } },
    },
  });
});

test('a parser lets through what has the type, and says what has not', () => {
  const parse = parserOf(Gate);
  expect(parse(GATE)).toEqual({ ok: true, value: GATE });
  expect(parse({ ...GATE, pulseMs: 500 }).ok).toBe(true);
  expect(parse({ ...GATE, pulseMs: 10 })).toMatchObject({ ok: false, problem: 'pulseMs must be >= 50' });
  expect(parse({ ...GATE, mode: 'other' }).ok).toBe(false);
  expect(parse({ ...GATE, tags: [1] }).ok).toBe(false);
  expect(parse({ ...GATE, more: 1 })).toMatchObject({ ok: false, problem: expect.stringContaining('(more)') });
  expect(parse({ ...GATE, name: undefined }).ok).toBe(false);
});

test('objects whose kind a member names are checked by the schema of that kind', () => {
  const Board = Type.Tagged('kind', [
    Type.Object({ kind: Type.Literal('files'), folder: Type.String() }, { additionalProperties: false }),
    Type.Object({ kind: Type.Literal('lines'), lines: Type.Array(Type.Integer()) }, { additionalProperties: false }),
  ]);
  const parse = parserOf(Type.Object({ board: Board }));
  const board: Static<typeof Board> = { kind: 'lines', lines: [1] };
  expect(parse({ board })).toEqual({ ok: true, value: { board } });
  const problemOf = (other: unknown) => parse({ board: other });
  expect(problemOf({ kind: 'lines', lines: [1.5] })).toMatchObject({
    ok: false,
    problem: 'board.lines.0 must be integer',
  });
  expect(problemOf({ kind: 'lines', lines: [], folder: '' })).toMatchObject({
    problem: expect.stringContaining('(folder)'),
  });
  expect(problemOf({ kind: 'toaster' })).toMatchObject({ ok: false, problem: 'board.kind is none of its kinds' });
  expect(problemOf({})).toMatchObject({ ok: false, problem: "board must have required property 'kind'" });
});

test('the compiler holds values to the type of their schema', () => {
  // @ts-expect-error `closed` is no mode
  const wrongMode: Static<typeof Gate> = { ...GATE, mode: 'closed' };
  // @ts-expect-error the pulse is a number
  const wrongPulse: Static<typeof Gate> = { ...GATE, pulseMs: '500' };
  const { name: _, ...nameless } = GATE;
  // @ts-expect-error the name is missing
  const withoutName: Static<typeof Gate> = nameless;
  expect([wrongMode, wrongPulse, withoutName].every((gate) => !parserOf(Gate)(gate).ok)).toBe(true);
});

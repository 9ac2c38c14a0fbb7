import { afterEach, expect, jest, test } from '@jest/globals';
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { serveGuard } from '@relaygate/device-agent/guard/serve-guard';
import { parserOf, Type } from '@relaygate/shared';
import { Ajv } from 'ajv';
import { DEMO_OUTPUTS } from '../../../support/device/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { MemoryFiles } from '../../../support/device/memory-files';
import { quietLog } from '../../../support/device/quiet-log';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

afterEach(() => void jest.restoreAllMocks());

async function newGuard(): Promise<Guard> {
  const clock = new VirtualClock();
  return openGuard(DEMO_OUTPUTS, {
    clock,
    files: new MemoryFiles(),
    driver: new FakeBoard(clock, DEMO_OUTPUTS.length),
    log: quietLog(),
    bootId: 'boot-1',
    statePath: '/data/state.json',
    journalPath: '/run/journal.jsonl',
    checkWritable: async () => {},
  });
}

test('no request compiles a validator, for that would stand in the way of a pulse (I4)', async () => {
  const compile = jest.spyOn(Ajv.prototype, 'compile');
  const serve = serveGuard(await newGuard(), quietLog());
  // Whether the build has compiled the guard's own ahead or not: one that it cannot know would be seen.
  parserOf(Type.Object({ unheardOf: Type.Boolean() })).prepare();
  expect(compile).toHaveBeenCalled();
  compile.mockClear();
  const answers: string[] = [];
  const session = serve({ send: (line) => void answers.push(line), close: () => {} });
  const command = { action: 'set', state: 1 };
  const requests = [
    { type: 'status' },
    { type: 'execute', commandId: 'c', numOutput: 0, command, startBeforeMs: 1e6, epoch: null },
    { type: 'epoch', epoch: 1 },
    { type: 'presence', linkIsUp: true },
    { type: 'input', input: 3 },
    { type: 'outcomes', commandIds: ['c'] },
    {
      type: 'configure',
      changes: [{ numOutput: 1, settings: DEMO_OUTPUTS[1] }],
      force: false,
      startBeforeMs: Number.MAX_VALUE,
    },
  ];
  for (const [id, request] of requests.entries()) session.line(JSON.stringify({ id, ...request }));
  await settled();
  expect(answers.filter((line) => line.includes('"ok":true'))).toHaveLength(requests.length);
  expect(compile).not.toHaveBeenCalled();
});

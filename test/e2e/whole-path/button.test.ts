/** The demo's contact and exit button, pressed by the lines that the demo prints. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { DeviceStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import type { HistoryReply } from '@relaygate/device-agent/agent/technician/local-messages/history';
import { gateLine, pressLine } from '../../demo/report';
import { RunningDemo } from '../../support/processes/running-demo';
import { eventually } from '../../support/time/waiting';

let demo: RunningDemo;
beforeAll(async () => {
  demo = await RunningDemo.start();
}, 120_000);
afterAll(() => demo?.stop());
beforeEach(() => demo.settle(), 40_000);

const paste = (line: string): void => void execFileSync('sh', ['-c', line]);

async function stateOf(numInput: number): Promise<string | null | undefined> {
  const { inputs = [] } = (await demo.relayctl('status')) as DeviceStatus;
  return inputs.find((input) => input.numInput === numInput)?.state;
}

test('a press of the button is one pulse, and stands in the history as the button’s', async () => {
  await eventually(async () => (await stateOf(1)) === 'released');
  paste(pressLine(demo.facts.inputs));
  expect((await demo.nextEdges(2)).map(({ output, level }) => [output, level])).toEqual([
    [2, 1],
    [2, 0],
  ]);
  const entries = async () => ((await demo.relayctl('history')) as HistoryReply).entries;
  await eventually(async () => (await entries()).some(({ kind }) => kind === 'button'));
  expect((await entries()).filter(({ kind }) => kind === 'button')).toMatchObject([
    { actor: 'button Exit', numOutput: 2, outcome: 'executed' },
  ]);
  expect(demo.newEdges()).toEqual([]);
  expect(await stateOf(1)).toBe('released');
});

test('the gate opens and closes for relayctl status and the API, which moves nothing', async () => {
  await eventually(async () => (await stateOf(0)) === 'closed');
  paste(gateLine(demo.facts.inputs, 'high'));
  await eventually(async () => (await stateOf(0)) === 'open');
  expect(await demo.relayctlText('status')).toMatch(/0 +open, for .* contact +Gate closed/);
  await eventually(async () => (await demo.state()).inputs.find(({ numInput }) => numInput === 0)?.state === 'open');
  expect((await demo.state()).inputs).toMatchObject([
    { numInput: 0, name: 'Gate closed', kind: 'contact', state: 'open' },
    { numInput: 1, name: 'Exit', kind: 'button', state: 'released' },
  ]);
  paste(gateLine(demo.facts.inputs, 'low'));
  await eventually(async () => (await stateOf(0)) === 'closed');
  expect(demo.newEdges()).toEqual([]);
});

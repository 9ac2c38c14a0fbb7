import { expect, test } from '@jest/globals';
import { GuardClient } from '@relaygate/device-agent/guard/client';
import { VirtualClock } from '../../../support/time/virtual-clock';

test('the code with which a guard refuses gets its sentence at the client', async () => {
  const sent: string[] = [];
  const connection = { send: (line: string) => void sent.push(line), close: () => {} };
  const client = new GuardClient(connection, new VirtualClock(), () => {});
  const change = client.configure({ changes: [], force: false, startBeforeMs: 1 });
  const reason = { code: 'no-such-output', values: { numOutput: 7, count: 4 } };
  const { id } = JSON.parse(sent[0] ?? '');
  client.takeLine(JSON.stringify({ id, ok: false, error: { code: 'output-not-found', message: reason.code, reason } }));
  await expect(change).rejects.toMatchObject({
    code: 'output-not-found',
    reason,
    message: 'There is no output 7; this device has 0 to 3.',
  });
});

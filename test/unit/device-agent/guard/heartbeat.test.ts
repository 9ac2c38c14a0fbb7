import { describe, expect, test } from '@jest/globals';
import { afterHeartbeat, noHeartbeat } from '@relaygate/device-agent/guard/heartbeat';
import { serveGuard } from '@relaygate/device-agent/guard/serve-guard';
import { command, ON, ON_OFF, startGuard } from '../../../support/device/guard-in-memory';
import { quietLog } from '../../../support/device/quiet-log';
import { SILENCE_MS } from '../../../support/time/promised-times';
import { settled } from '../../../support/time/virtual-clock';

describe('what the guard knows of the link', () => {
  const up = afterHeartbeat(noHeartbeat(0), true, 1_000);

  test('is that it was up until the agent says that it has gone', () => {
    expect(afterHeartbeat(up, false, 2_900)).toMatchObject({ linkMs: 2_900, linkIsUp: false });
  });

  test('ends with the last sign of life of an agent that was silent for more than 2.5 s', () => {
    expect(afterHeartbeat(up, false, 1_000 + SILENCE_MS)).toMatchObject({ linkMs: 1_000 + SILENCE_MS });
    expect(afterHeartbeat(up, false, 1_001 + SILENCE_MS)).toMatchObject({ agentMs: 1_001 + SILENCE_MS, linkMs: 1_000 });
  });

  test('ends with the last sign of life of an agent that has ended, however soon the next one comes', async () => {
    const world = await startGuard([{ ...ON_OFF, onLinkLoss: 'off', linkLossMs: 60_000 }]);
    const serve = serveGuard(world.guard, quietLog());
    const presence = (linkIsUp: boolean): string => JSON.stringify({ id: 1, type: 'presence', linkIsUp });
    const connect = () => serve({ send: () => {}, close: () => {} });
    const first = connect();
    first.line(presence(true));
    await world.guard.execute(command(world, 0, ON));
    await world.clock.advance(1_900);
    first.closed(null);
    connect().line(presence(false));
    await settled();
    await world.clock.advance(58_099);
    expect(world.board.levels[0]).toBe('high');
    await world.clock.advance(1);
    expect(world.board.levels[0]).toBe('low');
  });
});

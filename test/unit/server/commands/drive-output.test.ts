import { describe, expect, test } from '@jest/globals';
import type { CommandAccess } from '@relaygate/server/commands/command-store';
import { type CommandOrder, SLOT_TAKEN } from '@relaygate/server/commands/order';
import { Budgets } from '@relaygate/server/limits/budgets';
import { readServerFrame } from '@relaygate/shared';
import { ALLOWED } from '../../../support/server/dispatcher-bench';
import { keylessDriver } from '../../../support/server/output-driver';
import { VirtualClock } from '../../../support/time/virtual-clock';

const ORDER: CommandOrder = { clientId: 'c', productLogin: 'gate', numOutput: 0, action: { action: 'toggle' } };

async function orderOf(clientName: string | undefined, access: Partial<CommandAccess> = {}): Promise<CommandOrder> {
  const orders: CommandOrder[] = [];
  const dispatch = async (order: CommandOrder) => {
    orders.push(order);
    return { kind: 'ok', commandId: 'x' } as const;
  };
  const readAccess = async () => ({ ...ALLOWED, clientName, ...access });
  const once = Budgets.perMinute(new VirtualClock(), 1);
  await keylessDriver(readAccess, dispatch, { products: once, clients: once })(ORDER);
  return orders[0] ?? ORDER;
}

test('a command that has no record is given back to the other nodes too, whenever they were told of it', async () => {
  const budgets = Budgets.perMinute(new VirtualClock(), 9);
  budgets.takeUntold(0);
  const dispatch = async () => {
    expect(budgets.takeUntold(9)).toMatchObject([{ amount: 1 }, { amount: 1 }]);
    return SLOT_TAKEN;
  };
  await keylessDriver(async () => ALLOWED, dispatch, { products: budgets, clients: budgets })(ORDER);
  expect(budgets.takeUntold(9)).toEqual([
    { key: 'c gate', amount: -1 },
    { key: 'c', amount: -1 },
  ]);
});

describe('an order names the application for people at the device', () => {
  test.each([
    ['Kiosk', 'Kiosk'],
    ['two\nlines\u007f', 'two\\u000alines\\u007f'],
    ['kr\u202eow', 'kr\\u202eow'],
    ['😀'.repeat(100), '😀'.repeat(64)],
  ])('%j', async (name, by) => {
    expect(await orderOf(name)).toEqual({ ...ORDER, by });
    const frame = { type: 'command', commandId: 'x', epoch: 1, numOutput: 0, action: 'toggle', executeBeforeMs: 1, by };
    expect(readServerFrame(JSON.stringify(frame)).kind).toBe('message');
  });

  test('and that no device is enrolled, which could link (I13)', async () => {
    expect(await orderOf(undefined, { deviceEnrolled: false })).toEqual({ ...ORDER, noDevice: true });
  });

  test('and which node has the product', async () => {
    const owner = { nodeName: 'two', epoch: 3, isWorthWaiting: true };
    expect(await orderOf(undefined, { owner })).toEqual({ ...ORDER, owner });
  });

  test.each([undefined, ''])('not, where its name is %j', async (name) => {
    expect(await orderOf(name)).toEqual(ORDER);
  });
});

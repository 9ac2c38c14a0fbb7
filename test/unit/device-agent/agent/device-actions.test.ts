import { describe, expect, test } from '@jest/globals';
import { deviceActions } from '@relaygate/device-agent/agent/actions/device-actions';
import type { DeviceStatus } from '@relaygate/device-agent/agent/local-messages/device';

type Link = DeviceStatus['link'];
const DOWN: Link = {
  isUp: false,
  serverUrl: 'wss://gate.example.com',
  epoch: null,
  problem: "the server's name does not resolve (ENOTFOUND)",
  cause: 'name-unknown',
};

async function problemIn(link: Link, request: object): Promise<string | null> {
  const status: DeviceStatus = {
    nowMs: 0,
    productLogin: 'gate',
    agentVersion: '0.1.0',
    link,
    guard: { isReachable: true, problem: null },
    outputs: [],
    lastCommands: [],
    faults: [],
    webLeftMs: null,
  };
  const actions = new Map(deviceActions({ status: () => status, identity: () => Promise.reject(new Error()) }));
  const shown = (await actions.get('status')?.(request)) as DeviceStatus;
  expect({ ...shown, link: null }).toEqual({ ...status, link: null });
  return shown.link.problem;
}

describe('why there is no link', () => {
  test('is told in English unless French is asked for', async () => {
    expect(await problemIn(DOWN, {})).toBe(DOWN.problem);
    expect(await problemIn(DOWN, { language: 'en' })).toBe(DOWN.problem);
    expect(await problemIn(DOWN, { language: 'fr' })).toBe('le nom du serveur est inconnu du réseau');
  });

  test('is told in English where there are no French words for it', async () => {
    expect(await problemIn({ ...DOWN, cause: 'other', problem: 'odd' }, { language: 'fr' })).toBe('odd');
  });

  test('is nothing while there is a link', async () => {
    expect(await problemIn({ ...DOWN, isUp: true, problem: null, cause: null }, { language: 'fr' })).toBeNull();
  });
});

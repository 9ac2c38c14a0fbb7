/** Whom the package lets ask what of NetworkManager, as polkit's own JavaScript would read it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes/program';

const FILE = join(ROOT, 'hardware/package/files/usr/share/polkit-1/rules.d/60-relaygate.rules');
const NETWORK = 'org.freedesktop.NetworkManager';
type Rule = (action: { id: string }, subject: { user: string }) => string | undefined;

/** undefined: the rule has no opinion, so polkit goes on to the next. */
function answer(id: string, user: string): string | undefined {
  const rules: Rule[] = [];
  const polkit = { addRule: (rule: Rule) => void rules.push(rule), Result: { YES: 'yes', NOT_HANDLED: undefined } };
  runInNewContext(readFileSync(FILE, 'utf8'), { polkit });
  expect(rules).toHaveLength(1);
  return rules[0]?.({ id }, { user });
}

test.each(['settings.modify.system', 'wifi.share.protected', 'network-control', 'enable-disable-wifi'])(
  'the Wi-Fi helper may %s, and nobody else: not the agent, which speaks to a network',
  (action) => {
    expect(answer(`${NETWORK}.${action}`, 'relaygate-wifi')).toBe('yes');
    for (const user of ['relaygate-agent', 'relaygate-status', 'relaygate-guard'])
      expect(answer(`${NETWORK}.${action}`, user)).toBeUndefined();
  },
);

test.each([`${NETWORK}.settings.modify.hostname`, `${NETWORK}.wifi.share.open`, 'org.freedesktop.login1.reboot'])(
  'the Wi-Fi helper is let into nothing else: %s',
  (action) => {
    expect(answer(action, 'relaygate-wifi')).toBeUndefined();
  },
);

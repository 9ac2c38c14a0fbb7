/** relayctl in this process, over an agent of the test's own. */
import type { ServeLines } from '@relaygate/device-agent/ipc/line-connection';
import { RELAYCTL } from '@relaygate/device-agent/locales/en/relayctl';
import { type RelayctlDeps, relayctl } from '@relaygate/device-agent/relayctl/relayctl';
import { VirtualClock } from '../time/virtual-clock';
import { dialInMemory } from './line-pair';

function unused(): never {
  throw new Error('not asked for');
}

/** `line`: what is typed behind its name. English, and without a clock that moves, unless `others` say otherwise. */
export async function runRelayctl(
  line: string,
  agent: ServeLines,
  others: Partial<RelayctlDeps> = {},
): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const { t = RELAYCTL } = others;
  const code = await relayctl(['node', 'relayctl', ...line.split(' ')], {
    clock: new VirtualClock(),
    t,
    translationsIn: () => t,
    refusalIn: ({ message }) => message,
    dial: () => dialInMemory(() => agent),
    onInterrupt: () => () => {},
    print: say,
    complain: say,
    userName: 'ana',
    runDir: '/run/x',
    dataDir: '/data',
    families: [],
    boards: unused,
    boardConfig: unused,
    serialPorts: unused,
    examine: unused,
    terminal: { isInteractive: () => false, ask: async () => null, note: say, progress: () => {}, textOf: () => '' },
    ...others,
  });
  return { code, said: said.join('\n') };
}

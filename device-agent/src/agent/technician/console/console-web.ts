import { WEB_DEFAULT_MS } from '@relaygate/shared';
import type { ConsoleAgent } from './console-agent';
import { webLines } from './console-views';
import { confirmed, type Dialogue } from './dialogue';

/** Switches the technician's page on or off, for whoever has a phone too. */
export async function switchPage(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const { words } = talk;
  const status = await agent.ask('web-status', {});
  await talk.show(webLines(words, status));
  if (status.isOn) {
    if (!(await confirmed(talk, words.reallyPageOff))) return;
    await agent.change('web-off', {});
    return talk.show([words.done]);
  }
  const wantsWifi = words.yes.includes((await talk.ask(words.withWifi)).toLowerCase());
  if (!(await confirmed(talk, words.reallyPageOn(WEB_DEFAULT_MS / 1000)))) return;
  const reply = await agent.change('web-on', { forMs: WEB_DEFAULT_MS, hotspot: wantsWifi });
  await talk.show(webLines(words, reply, reply.hotspotPassphrase));
}

import { WEB_DEFAULT_MS } from '@relaygate/shared';
import type { ConsoleAgent } from './console-agent';
import { webLines } from './console-views';
import { confirmed, type Dialogue } from './dialogue';

/** Switches the technician's page on or off, for whoever has a phone too. */
export async function switchPage(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const { t } = talk;
  const status = await agent.ask('web-status', {});
  await talk.show(webLines(t, status));
  if (status.isOn) {
    if (!(await confirmed(talk, t.reallyPageOff))) return;
    await agent.change('web-off', {});
    return talk.show([t.done]);
  }
  const wantsWifi = t.yes.includes((await talk.ask(t.withWifi)).toLowerCase());
  if (!(await confirmed(talk, t.reallyPageOn(WEB_DEFAULT_MS / 1000)))) return;
  const reply = await agent.change('web-on', { forMs: WEB_DEFAULT_MS, hotspot: wantsWifi });
  await talk.show(webLines(t, reply, reply.hotspotPassphrase));
}

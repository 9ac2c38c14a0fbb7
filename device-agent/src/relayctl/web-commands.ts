/** `relayctl web`: the technician's page. */
import { WEB_DEFAULT_MS, WEB_MAX_MS, WEB_MIN_MS } from '@relaygate/shared/limits';
import type { Command } from 'commander';
import type { WebOnReply, WebStatus } from '../agent/technician/local-messages/web';
import type { RelayctlTranslations } from '../locales/relayctl';
import type { CommandDeps } from './command-deps';
import { timeOption } from './time-option';

const TIMES = { leastMs: WEB_MIN_MS, mostMs: WEB_MAX_MS, presetMs: WEB_DEFAULT_MS };

export function addCommands(program: Command, { command, ask, change, print }: CommandDeps): void {
  const web = command(program, 'web', "the technician's page, which is off unless it is switched on");
  command(web, 'on', 'switches the page on; where it is on, its time begins anew')
    .addOption(timeOption('30m or 2h', TIMES))
    .option('--hotspot', 'with a Wi-Fi of this device, which goes off with the page')
    .action(async (options: { for: number; hotspot?: true }) => {
      const body = { forMs: options.for, hotspot: options.hotspot ?? false };
      print(await change(options, 'web-on', body), showOn);
    });
  command(web, 'off', 'switches the page off').action(async (options: object) => {
    print(await change(options, 'web-off', {}), ({ wasOn }, t) => t.pageWentOff(wasOn));
  });
  command(web, 'status', 'whether the page is on, and where').action(async (options: object) => {
    print(await ask(options, 'web-status', {}), (status, t) => showPage(status, t).join('\n'));
  });
}

function showOn(reply: WebOnReply, t: RelayctlTranslations): string {
  const { hotspotPassphrase, hotspotSsid } = reply;
  const shown = hotspotPassphrase === null ? t.passphraseShown : `${hotspotPassphrase}  ${t.notAgain}`;
  const passphrase = hotspotSsid === null ? [] : [labelled(t, t.page.passphrase, shown)];
  return [...showPage(reply, t), ...passphrase, t.pageHint].join('\n');
}

function showPage({ isOn, leftMs, urls, fingerprint, hotspotSsid }: WebStatus, t: RelayctlTranslations): string[] {
  const { page, address, certificate } = t.page;
  if (!isOn) return [labelled(t, page, t.pageIsOff)];
  return [
    labelled(t, page, t.pageOn(t.duration(leftMs ?? 0))),
    ...urls.map((url, n) => labelled(t, n === 0 ? address : '', url)),
    labelled(t, certificate, `SHA-256 ${fingerprint ?? t.unreadable}`),
    ...(hotspotSsid === null ? [] : [labelled(t, 'Wi-Fi', hotspotSsid)]),
  ];
}

function labelled({ page }: RelayctlTranslations, label: string, value: string): string {
  const widest = Math.max(...Object.values(page).map((one) => one.length));
  return `${label.padEnd(widest)}  ${value}`;
}

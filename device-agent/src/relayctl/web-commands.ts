/** `relayctl web`: the technician's page. */
import { WEB_DEFAULT_MS, WEB_MAX_MS, WEB_MIN_MS } from '@relaygate/shared/limits';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { WebOnReply, WebStatus } from '../agent/technician/local-messages/web';
import { durationMs, durationWords } from '../runtime/duration';
import type { CommandDeps } from './command-deps';

const RANGE = `${durationWords(WEB_MIN_MS)} to ${durationWords(WEB_MAX_MS)}`;

export function addWebCommands(program: Command, { command, ask, change, print }: CommandDeps): void {
  const web = command(program, 'web', "the technician's page, which is off unless it is switched on");
  command(web, 'on', 'switches the page on; where it is on, its time begins anew')
    .addOption(
      new Option('--for <time>', `such as 30m or 2h; ${RANGE}`)
        .argParser(pageTime)
        .default(WEB_DEFAULT_MS, durationWords(WEB_DEFAULT_MS)),
    )
    .option('--hotspot', 'with a Wi-Fi of this device, which goes off with the page')
    .action(async (options: { for: number; hotspot?: true }) => {
      const body = { forMs: options.for, hotspot: options.hotspot ?? false };
      print(await change(options, 'web-on', body), showOn);
    });
  command(web, 'off', 'switches the page off').action(async (options: object) => {
    print(await change(options, 'web-off', {}), ({ wasOn }) =>
      wasOn ? 'The page is off; no port is open.' : 'The page was off.',
    );
  });
  command(web, 'status', 'whether the page is on, and where').action(async (options: object) => {
    print(await ask(options, 'web-status', {}), (status) => showPage(status).join('\n'));
  });
}

function pageTime(text: string): number {
  const forMs = durationMs(text);
  if (forMs === null || forMs < WEB_MIN_MS || forMs > WEB_MAX_MS)
    throw new InvalidArgumentError(`It is a number with s, m, h or d, ${RANGE}.`);
  return forMs;
}

function showOn(reply: WebOnReply): string {
  const { hotspotPassphrase, hotspotSsid } = reply;
  const shown =
    hotspotPassphrase === null
      ? 'as it was shown when this Wi-Fi began; for another one: web off, then web on --hotspot'
      : `${hotspotPassphrase}  (not shown again)`;
  const passphrase = hotspotSsid === null ? [] : [`passphrase   ${shown}`];
  return [
    ...showPage(reply),
    ...passphrase,
    'The browser warns once, for no authority has signed the certificate: compare the fingerprint, then go on.',
  ].join('\n');
}

function showPage({ isOn, leftMs, urls, fingerprint, hotspotSsid }: WebStatus): string[] {
  if (!isOn) return ['page         off; no port is open'];
  return [
    `page         on for ${durationWords(leftMs ?? 0)}`,
    ...urls.map((url, n) => `${n === 0 ? 'address' : '       '}      ${url}`),
    `certificate  SHA-256 ${fingerprint ?? 'cannot be read'}`,
    ...(hotspotSsid === null ? [] : [`Wi-Fi        ${hotspotSsid}`]),
  ];
}

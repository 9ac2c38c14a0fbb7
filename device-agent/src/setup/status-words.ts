/** What relaygate-status.txt says. */
import { SITE_FILE, type SiteSettings } from '@relaygate/shared/site-settings';
import type { DeviceStatus } from '../agent/local-messages/device';
import { linkWords, type Words } from './link-words';
import type { NetworkView } from './network-view';

export interface SetupView {
  /** Why the file on the boot partition is not in force; null: it is, or there is none. */
  siteProblem: string | null;
  hasSettings: boolean;
  /** What was taken over. */
  site: SiteSettings | null;
  /** null: the agent does not answer. */
  status: DeviceStatus | null;
  network: NetworkView;
}

/** An agent that has not tried yet, or tries just now: nobody knows, so nothing is said. */
const NOT_TRIED = 'not tried yet';

/** The words, the most urgent first; null: there is nothing to say yet. */
export function statusWords(view: SetupView): string | null {
  const login = view.status?.productLogin ?? view.site?.productLogin;
  return textOf(login, [...siteWords(view), ...deviceWords(view)]);
}

/** The same while guard and agent do not run yet. */
export function wordsBeforeStart(view: Pick<SetupView, 'siteProblem' | 'hasSettings'>): string | null {
  return textOf(undefined, siteWords(view));
}

function textOf(login: string | undefined, words: readonly Words[]): string | null {
  if (words.length === 0) return null;
  const title = login === undefined ? 'Relaygate' : `Relaygate, product ${login}`;
  return [title, ...words.map(({ headline, advice }) => (advice ? `${headline}\n${advice}` : headline))].join('\n\n');
}

function siteWords({ siteProblem, hasSettings }: Pick<SetupView, 'siteProblem' | 'hasSettings'>): Words[] {
  if (siteProblem !== null) {
    const left = hasSettings ? 'The device goes on with the settings of before.' : 'The device has no settings yet.';
    return [{ headline: `NOT TAKEN OVER: ${siteProblem}`, advice: `${left} Correct the file and start the device.` }];
  }
  if (hasSettings) return [];
  const advice = `Put a file ${SITE_FILE} beside this one (relaygate-flash makes it) and start the device.`;
  return [{ headline: 'NO SETTINGS: this device does not know what it is to do.', advice }];
}

function deviceWords({ hasSettings, status, site, network }: SetupView): Words[] {
  if (!hasSettings) return [];
  if (!status) return [{ headline: 'NOT STARTED: relaygate-agent does not answer.', advice: 'Start the device anew.' }];
  const guard: Words[] = status.guard.isReachable
    ? []
    : [{ headline: `RELAYS AWAY: ${status.guard.problem ?? 'the guard does not answer'}.`, advice: '' }];
  if (status.link.isUp) return [...guard, { headline: `LINKED to ${status.link.serverUrl}.`, advice: '' }];
  const { problem } = status.link;
  const cause = networkWords(network, site);
  if (cause !== null) return [...guard, notLinked(cause)];
  return problem === null || problem === NOT_TRIED ? guard : [...guard, notLinked(linkWords(problem))];
}

/** null: it is not the network. */
function networkWords({ isConnected, wifi }: NetworkView, site: SiteSettings | null): Words | null {
  if (isConnected) return null;
  if (site?.wifi === undefined) return { headline: 'There is no network.', advice: 'Plug in the network cable.' };
  const name = `"${site.wifi.ssid}"`;
  switch (wifi) {
    case 'wrong-passphrase':
      return {
        headline: `The Wi-Fi ${name} does not take the passphrase.`,
        advice: `Write it anew into ${SITE_FILE}, in the place of "(kept)" behind "passphrase".`,
      };
    case 'not-found':
      return {
        headline: `There is no Wi-Fi ${name} here.`,
        advice: 'Compare the name, small and large letters too; move the device or its antenna nearer.',
      };
    case 'blocked':
      return {
        headline: 'The Wi-Fi of this device is switched off.',
        advice: `Look whether "country" in ${SITE_FILE} is right.`,
      };
    default:
      return { headline: `The Wi-Fi ${name} has given no address yet.`, advice: 'It is tried again by itself.' };
  }
}

/** A missing network never blocks anybody on the spot. */
function notLinked({ headline, advice }: Words): Words {
  return {
    headline: `NOT LINKED: ${headline}`,
    advice: `${advice} The device goes on trying; on the spot its relays can be moved all the same.`,
  };
}

/** What relaygate-status.txt says. */
import { SITE_FILE, type SiteSettings } from '@relaygate/shared/site-settings';
import type { AgentView } from './agent-view';
import { BOARD_CONFIG_FILE, closingLinesOf, type FirmwareClosing } from './boards/boot-config';
import { AGAIN, linkWords, TIME_SERVER, type Words } from './link-words';
import type { NetworkView } from './network-view';
import { factLines, titleOf } from './site/device-facts';
import type { OwnSettings } from './site-take-over';

const UNREADABLE =
  "The device's own settings cannot be read: nothing was changed, its relays are not driven after a start, and " +
  `${SITE_FILE} waits. Mend that file with the card in a Linux machine, or write the card anew: with a new enrolment ` +
  'code, which relaygate-server product revoke-device gives.';

export interface SetupView {
  /** Why the file on the boot partition is not in force; null: it is, or there is none. */
  siteProblem: string | null;
  settings: OwnSettings;
  /** What the firmware closes at power-on. */
  closings: readonly FirmwareClosing[];
  /** What was taken over. */
  site: SiteSettings | null;
  /** null: the agent does not answer. */
  agent: AgentView | null;
  /** Why the technician's page is not on although it should be; null: it need not be. */
  pageProblem: string | null;
  network: NetworkView;
}

/** The words, the most urgent first; null: there is nothing to say yet. */
export function statusWords(view: SetupView): string | null {
  const { agent } = view;
  const login = agent?.status.productLogin ?? view.site?.productLogin;
  const words = [...siteWords(view), ...powerOnWords(view), ...deviceWords(view)];
  if (agent === null || words.length === 0) return textOf(login, words);
  return textOf(
    login,
    [...words, ...clockWords(agent), ...proofWords(agent), ...pageWords(view, agent)],
    factLines(agent.identity),
  );
}

/** The words while guard and agent do not run yet. */
export function wordsBeforeStart(view: Pick<SetupView, 'siteProblem' | 'settings'>): string | null {
  return textOf(undefined, siteWords(view));
}

function textOf(login: string | undefined, words: readonly Words[], facts: readonly string[] = []): string | null {
  if (words.length === 0) return null;
  const title = login === undefined ? 'Relaygate' : titleOf(login);
  const parts = words.map(({ headline, advice }) => (advice ? `${headline}\n${advice}` : headline));
  return [title, ...parts, ...(facts.length === 0 ? [] : [facts.join('\n')])].join('\n\n');
}

function siteWords({ siteProblem, settings }: Pick<SetupView, 'siteProblem' | 'settings'>): Words[] {
  // Nobody can correct a file that waits for the settings.
  if (settings.problem !== null) return [{ headline: `SETTINGS UNREADABLE: ${settings.problem}`, advice: UNREADABLE }];
  if (siteProblem !== null) {
    const left = settings.isThere
      ? 'The device goes on with the settings of before.'
      : 'The device has no settings yet.';
    return [{ headline: `NOT TAKEN OVER: ${siteProblem}`, advice: `${left} Correct the file and start the device.` }];
  }
  if (settings.isThere) return [];
  const advice = `Put a file ${SITE_FILE} beside this one (relaygate-flash makes it) and start the device.`;
  return [{ headline: 'NO SETTINGS: this device does not know what it is to do.', advice }];
}

function powerOnWords({ closings }: SetupView): Words[] {
  if (closings.length === 0) return [];
  const levels = closings.map(({ bcm, level }) => `BCM ${bcm} a ${level} level`).join(', ');
  return [
    {
      headline: `RELAYS CLOSE AT POWER-ON: ${BOARD_CONFIG_FILE} has the firmware give ${levels}, until the guard runs.`,
      advice: `That file is of another board: take ${closingLinesOf(closings)} out of it, or prepare the card anew.`,
    },
  ];
}

function deviceWords({ settings, agent, site, network }: SetupView): Words[] {
  if (!settings.isThere) return [];
  // With settings that cannot be read the agent does not start anew either.
  if (!agent && settings.problem !== null) return [];
  if (!agent) return [{ headline: 'NOT STARTED: relaygate-agent does not answer.', advice: 'Start the device anew.' }];
  const { status } = agent;
  const guard: Words[] = status.guard.isReachable
    ? []
    : [{ headline: `RELAYS AWAY: ${status.guard.problem ?? 'the guard does not answer'}.`, advice: '' }];
  if (status.link.isUp) return [...guard, { headline: `LINKED to ${status.link.serverUrl}.`, advice: '' }];
  const { problem, cause } = status.link;
  const offline = networkWords(network, site);
  if (offline !== null) return [...guard, notLinked(offline)];
  // The agent has not tried yet, or tries just now, so nothing is said.
  if (problem === null || cause === null || cause === 'not-tried') return guard;
  return [...guard, notLinked(linkWords(problem, cause))];
}

/** Silent if the words about the certificate say it already. */
function clockWords({ status }: AgentView): Words[] {
  const isMissed = status.faults.some(({ code }) => code === 'clock-not-set');
  if (!isMissed || status.link.cause === 'clock-behind' || status.link.cause === 'expired') return [];
  return [{ headline: 'CLOCK NOT SET: no time server has answered since the start.', advice: TIME_SERVER }];
}

/** Without these words a device that is linked and moves nothing would be a riddle. */
function proofWords({ proof }: AgentView): Words[] {
  if (proof.isProven || !proof.isRequired) return [];
  return [
    {
      headline:
        "NOT PROVEN: the server's commands are refused until somebody has seen that each output moves its relay.",
      advice:
        "Stand where the relays are seen, and prove the wiring at the device's page, its console or by relayctl prove.",
    },
  ];
}

function pageWords({ pageProblem }: SetupView, { status, urls }: AgentView): Words[] {
  if (pageProblem !== null) return [{ headline: `NO PAGE: ${pageProblem}`, advice: AGAIN }];
  if (status.webLeftMs === null) return [];
  return [
    {
      headline: `PAGE ON: ${urls.join(' ')}`,
      advice:
        'The browser warns once: compare its certificate with the one below, then go on. The PIN is on the label.',
    },
  ];
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
    case 'not-joined':
      return {
        headline: `The Wi-Fi ${name} cannot be joined: it is not here, or does not take the passphrase.`,
        advice: `Compare name and passphrase, small and large letters too; write them anew into ${SITE_FILE}.`,
      };
    case 'blocked':
      return {
        headline: 'The Wi-Fi of this device is switched off.',
        advice:
          'It is switched on again by itself, every 1 to 10 minutes. If that does not help, plug in a network cable.',
      };
    default:
      return { headline: `The Wi-Fi ${name} has given no address yet.`, advice: AGAIN };
  }
}

/** A missing network never blocks anybody on the spot. */
function notLinked({ headline, advice }: Words): Words {
  return {
    headline: `NOT LINKED: ${headline}`,
    advice: `${advice} The device goes on trying; on the spot its relays can be moved all the same.`,
  };
}

/** How somebody on site will reach the device, from options or from a line of a table. */

import { badSetting } from '@relaygate/device-agent/runtime/complaint';
import { durationMs, durationWords } from '@relaygate/device-agent/runtime/duration';
import { WEB_MAX_MS, WEB_MIN_MS } from '@relaygate/shared';
import type { SiteSettings } from '@relaygate/shared/site-settings';

export interface TechnicianRequest {
  /** The port of the serial console; one without a slash is of /dev. */
  console?: string | undefined;
  /** The line of a button to ground, a BCM number. */
  webButton?: string | undefined;
  /** "30m": how long the page is on after each start, until the wiring is proven. */
  webFor?: string | undefined;
}

const MINUTE_MS = 60_000;

/** As members of the settings file. Throws `bad-setting` for what cannot be read as such. */
export function technicianOf({ console: port, webButton, webFor }: TechnicianRequest): object {
  const web = {
    ...(webButton === undefined ? {} : { buttonLine: lineOf(webButton) }),
    ...(webFor === undefined ? {} : { forMinutes: minutesOf(webFor) }),
  };
  return {
    ...(port === undefined ? {} : { console: { port: port === '' || port.includes('/') ? port : `/dev/${port}` } }),
    ...(Object.keys(web).length === 0 ? {} : { web }),
  };
}

/** Whether somebody on site can prove the wiring of a device that nobody logs in to. */
export function hasTechnician({ console, web }: SiteSettings): boolean {
  return console !== undefined || web !== undefined;
}

function lineOf(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  const what = 'a number such as 24, the BCM number of the line that the button connects to ground';
  throw badSetting(`--web-button (column webButton) is ${what}, not "${text}".`);
}

function minutesOf(text: string): number {
  const ms = durationMs(text);
  if (ms !== null && ms % MINUTE_MS === 0 && ms >= WEB_MIN_MS && ms <= WEB_MAX_MS) return ms / MINUTE_MS;
  const range = `whole minutes such as 30m or 2h, from ${durationWords(WEB_MIN_MS)} to ${durationWords(WEB_MAX_MS)}`;
  throw badSetting(`--web-for (column webFor) is ${range}, not "${text}".`);
}

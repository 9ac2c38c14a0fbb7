import { withInputNumber } from '@relaygate/shared/device';
import type { ErrorCode } from '@relaygate/shared/relaygate-error';
import { DeviceRefusal } from '../ipc/device-refusal';
import type { ValuesOf } from '../locales/catalogue';
import { CAUSES } from '../locales/en/causes';
import { SETTINGS_REFUSALS } from '../locales/en/settings-refusals';
import { causeIn } from '../locales/sentence';
import { causeOf } from '../runtime/problem';
import { memberWith, type Refusal } from './member-hint';

export type SettingsRefusals = ValuesOf<typeof SETTINGS_REFUSALS>;

const TRANSLATIONS = { ...CAUSES, ...SETTINGS_REFUSALS };

/** Why settings cannot be used. Its message is in English, for the log of a program that ends with it. */
export function settingsRefused<Code extends keyof SettingsRefusals>(
  error: ErrorCode,
  code: Code,
  values: SettingsRefusals[Code],
  options?: ErrorOptions,
): DeviceRefusal {
  const reason = { code, values: Object(values) };
  return new DeviceRefusal(error, reason, causeIn(TRANSLATIONS, reason), options);
}

/** For a file that cannot be read, or holds no JSON. */
export function failedSettings(
  error: ErrorCode,
  code: 'settings-unreadable' | 'settings-no-json',
  path: string,
  cause: unknown,
): DeviceRefusal {
  return settingsRefused(error, code, { path, problem: causeOf(cause) }, { cause });
}

/** For settings that a parser refuses. */
export function wrongSettings(path: string, parsed: Refusal, value: unknown): DeviceRefusal {
  const { problem, fault = problem } = withInputNumber(parsed, value);
  return settingsRefused('bad-setting', 'settings-wrong', { path, problem: fault, member: memberWith(parsed) });
}

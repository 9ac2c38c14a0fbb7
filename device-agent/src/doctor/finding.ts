import type { ConsoleLanguage } from '@relaygate/shared/device';
import type { Finding } from '../agent/technician/local-messages/doctor';
import { type FindingName, type FindingValues, findingIn, type Sentences } from '../locales/findings';
import { localeOf } from '../locales/locales';
import { causeOf, codeOf } from '../runtime/problem';

type FindingCode = keyof FindingValues;

/** The result of one check; its sentences are made for its reader. */
export interface CheckResult {
  verdict: Finding['verdict'];
  code: FindingCode;
  in(language: ConsoleLanguage): Sentences;
}

/** Errors about what this user may not see, and another may. */
const NOT_ALLOWED: readonly string[] = ['EACCES', 'EPERM'];

/** The result under the name of its check. */
export type NamedResult = CheckResult & { name: FindingName };

export const ok = verdict('ok');
export const warn = verdict('warn');
export const fail = verdict('fail');

/** The result of a check that has failed: nothing is known, so it is never well. */
export function unseen(error: unknown): CheckResult {
  return warn(isNotAllowed(error) ? 'not-seen' : 'not-looked-at', { problem: causeOf(error) });
}

export function isNotAllowed(error: unknown): boolean {
  return NOT_ALLOWED.includes(codeOf(error));
}

/** For people, in their language. */
export function reported({ name, verdict, code, in: sentencesIn }: NamedResult, language: ConsoleLanguage): Finding {
  const { found, means = '', cure = '' } = sentencesIn(language);
  return { name: localeOf(language).findingNames[name], check: name, verdict, code, found, means, cure };
}

function verdict(of: Finding['verdict']) {
  return <Code extends FindingCode>(code: Code, values: FindingValues[Code]): CheckResult => ({
    verdict: of,
    code,
    in(language) {
      const { findings, causeText } = localeOf(language);
      return findingIn(findings, code, values, causeText);
    },
  });
}

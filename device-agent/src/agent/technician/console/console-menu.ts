import { RelaygateError } from '@relaygate/shared';
import type { ConsoleTranslations } from '../../../locales/console';
import { localeOf } from '../../../locales/locales';
import { refusalText } from '../../../locales/refusal-text';
import type { ConsoleAgent } from './console-agent';
import { changeInput } from './console-inputs';
import { changeLock } from './console-locks';
import { changeOther, changePulse, moveOutput } from './console-outputs';
import { proveWiring } from './console-proof';
import { diagnosisLines, historyLines, identityLines, logLines, statusLines } from './console-views';
import { switchPage } from './console-web';
import { chosen, type Dialogue, Interrupted } from './dialogue';

/** How many entries are shown; nobody reads more. */
const SHOWN_ENTRIES = 15;
const SHOWN_EVENTS = 20;

type Page = (talk: Dialogue, agent: ConsoleAgent) => Promise<void>;
type Item = readonly [word: keyof ConsoleTranslations['menu'], page: Page | null];

const showStatus: Page = async (talk, agent) =>
  talk.show(statusLines(talk.t, await agent.ask('status', { language: talk.t.language })));
const showHistory: Page = async (talk, agent) =>
  talk.show(historyLines(talk.t, (await agent.ask('history', { limit: SHOWN_ENTRIES })).entries));
const showLog: Page = async (talk, agent) => {
  const { language } = talk.t;
  await talk.show(logLines(talk.t, (await agent.ask('log', { limit: SHOWN_EVENTS, waitMs: 0, language })).events));
};
const askDoctor: Page = async (talk, agent) => {
  await talk.show([talk.t.doctorLooks]);
  await talk.show(diagnosisLines(talk.t, await agent.ask('doctor', { language: talk.t.language })));
};
const showIdentity: Page = async (talk, agent) =>
  talk.show(
    identityLines(talk.t, await agent.ask('identity', {}), await agent.ask('status', { language: talk.t.language })),
  );
const changeLanguage: Page = async (talk) => talk.changeLanguage();

/** In the order of their numbers. */
const ITEMS: readonly Item[] = [
  ['status', showStatus],
  ['command', moveOutput],
  ['pulse', changePulse],
  ['settings', changeOther],
  ['history', showHistory],
  ['identity', showIdentity],
  ['page', switchPage],
  ['locks', changeLock],
  ['log', showLog],
  ['doctor', askDoctor],
  ['prove', proveWiring],
  ['language', changeLanguage],
  ['inputs', changeInput],
  ['quit', null],
];

/** Resolves when somebody quits. Rejects with Interrupted when nobody is there any more. */
export async function menu(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  while (await shown(talk, () => visit(talk, agent)));
}

/** False: the last item, to quit. */
async function visit(talk: Dialogue, agent: ConsoleAgent): Promise<boolean> {
  await talk.show(['']);
  const [word, page] = (await chosen(talk, ITEMS, ([one]) => talk.t.menu[one])) ?? [];
  await page?.(talk, agent);
  return word !== 'quit';
}

/** Runs an item. Ctrl-C and refusals lead back to the menu. */
async function shown(talk: Dialogue, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted && error.by === 'cancelled') return true;
    if (!(error instanceof RelaygateError)) throw error;
    await talk.show([refusalText(error, localeOf(talk.t.language))]);
    return true;
  }
}

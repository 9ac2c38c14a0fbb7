/** `relayctl doctor`: what is wrong with this device, and what to do about it. */
import type { ConsoleLanguage } from '@relaygate/shared/device';
import { type Command, Option } from 'commander';
import type { Diagnosis, Finding } from '../agent/technician/local-messages/doctor';
import type { RelayctlTranslations } from '../locales/relayctl';
import { DEFAULT_DATA_DIR, foldersOf } from '../runtime/folders';
import type { CommandDeps } from './command-deps';
import { EXIT } from './exit-codes';
import { wholeNumber } from './numbers';

interface DoctorCommandOptions {
  data?: string;
  testLine?: number;
  language?: ConsoleLanguage;
}

const SIGNS = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } as const;

export function addCommands(program: Command, deps: CommandDeps): void {
  const { command, print, ask, examine, terminal, dataDir, runOf, endWith, t, translationsIn } = deps;
  command(program, 'doctor', 'what is wrong with this device; ends with 1 when something fails')
    .option('--data <dir>', `data folder (else RELAYGATE_DEVICE_DATA_DIR, else ${DEFAULT_DATA_DIR})`)
    .option(
      '--test-line <n>',
      'a spare line: driven by a process that is killed, to see what becomes of it',
      wholeNumber,
    )
    .addOption(
      new Option('--language <language>', 'of what it finds (else that of the terminal)').choices(['en', 'fr']),
    )
    .action(async (options: DoctorCommandOptions) => {
      const { language = t.language } = options;
      const findings = await examine({
        folders: foldersOf({ data: options.data ?? (dataDir || DEFAULT_DATA_DIR), run: runOf(options) }),
        testLine: options.testLine ?? null,
        language,
        askStatus: () => ask(options, 'status', { language }),
        progress: (done, all) => terminal.progress(done === all ? '' : t.looking(done, all)),
      });
      const isWell = findings.every(({ verdict }) => verdict !== 'fail');
      print<Diagnosis>({ isWell, findings }, (diagnosis) => showDiagnosis(diagnosis, translationsIn(language)));
      if (!isWell) endWith(EXIT.failed);
    });
}

function showDiagnosis({ findings }: Diagnosis, t: RelayctlTranslations): string {
  const widest = Math.max(...findings.map(({ name }) => name.length));
  const indent = ' '.repeat(SIGNS.ok.length + widest + 4);
  const lines = findings.flatMap(({ name, verdict, found, means, cure }) => [
    `${SIGNS[verdict]}  ${name.padEnd(widest)}  ${found}`,
    ...(means === '' ? [] : [`${indent}${t.so} ${means}`]),
    ...(cure === '' ? [] : [`${indent}${t.cure} ${cure}`]),
  ]);
  const count = (verdict: Finding['verdict']): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  return [...lines, '', t.tally(count('ok'), count('warn'), count('fail'))].join('\n');
}

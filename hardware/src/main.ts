import { readFileSync } from 'node:fs';
import { certificateProblem } from '@relaygate/device-agent/platform/certificate-problem';
import { scryptPin } from '@relaygate/device-agent/platform/scrypt-pin';
import { terminal } from '@relaygate/device-agent/platform/terminal';
import { readBoardProfiles } from '@relaygate/device-agent/relayctl/board-profiles';
import { complaint } from '@relaygate/device-agent/runtime/command-line';
import { VERSION } from '@relaygate/device-agent/runtime/version';
import { RelaygateError } from '@relaygate/shared';
import { runPrinting } from '@relaygate/shared/failed-output';
import { plainText } from '@relaygate/shared/plain-text';
import { monotonicNowMs, systemRandomness } from '@relaygate/shared/system';
import { forgetBuffers, lookAtCard } from './card/linux-cards';
import { EXIT, type FlashDeps, flash } from './flash-program';
import { utf8Text } from './site/utf8-text';

const STDIN = 0;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function main(argv: string[]): Promise<void> {
  const now = new Date();
  const complain = (text: string): void => void process.stderr.write(`${plainText(text)}\n`);
  const deps: FlashDeps = {
    version: VERSION,
    print: (text) => void process.stdout.write(`${plainText(text)}\n`),
    complain,
    progressTo: {
      isTerminal: process.stderr.isTTY === true,
      write: (text) => void process.stderr.write(text),
      nowMs: monotonicNowMs,
    },
    textOf: (file) => utf8Text(readFileSync(file === '-' ? STDIN : file), file),
    ask: terminal.ask,
    boards: readBoardProfiles,
    randomness: systemRandomness,
    hashPin: scryptPin,
    certificateProblem: (pem) => certificateProblem(pem, now.getTime()),
    now,
    lookAtCard,
    forgetBuffers,
    stopSignal,
  };
  await runPrinting({
    run: () => flash(argv, deps),
    unwritten: (message) => complain(complaint('relaygate-flash', argv, 'unknown', message)),
    unwrittenCode: EXIT.failed,
  });
}

/** A second one ends the program as if nobody listened. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of SIGNALS)
    process.once(name, () => {
      controller.abort(
        new RelaygateError('refused', `Stopped by ${name}: what was begun is taken away again, what is done stays.`),
      );
    });
  return controller.signal;
}

/** `relayctl lock` and `unlock`: keeping the server from an output that somebody works at. */
import { LOCK_DEFAULT_MS, LOCK_MAX_MS, LOCK_MIN_MS } from '@relaygate/shared/limits';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LockReply, UnlockReply } from '../agent/technician/local-messages/locks';
import type { RelayctlWords } from '../locales/relayctl';
import { durationMs, durationWords } from '../runtime/duration';
import type { CommandDeps } from './command-deps';
import { EXIT } from './exit-codes';
import { numOutputArgument } from './numbers';

const RANGE = `${durationWords(LOCK_MIN_MS)} to ${durationWords(LOCK_MAX_MS)}`;

const EXAMPLES = `
Examples:
  relayctl lock 2 --for 2h
  relayctl unlock 2

While an output is locked no command of the server moves it, nor one for another output whose interlock would switch it
off. Commands on this device still do, and a pulse that runs comes to its end.`;

export interface LockCommandDeps extends CommandDeps {
  /** Ends relayctl with this exit code. */
  endWith(exitCode: number): void;
}

export function addLockCommands(program: Command, deps: LockCommandDeps): void {
  const { command, change, print, endWith, words } = deps;
  command(program, 'lock', 'keeps the server from moving an output, for work at what hangs on it')
    .addArgument(numOutputArgument())
    .addOption(
      new Option('--for <time>', `such as 45m, 2h or 1d; ${RANGE}`)
        .argParser(lockTime)
        .default(LOCK_DEFAULT_MS, durationWords(LOCK_DEFAULT_MS)),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (numOutput: number, options: { for: number }) => {
      const reply = await change(options, 'lock', { numOutput, forMs: options.for });
      const { unsaved } = reply;
      print(unsaved === undefined ? reply : { ...reply, unsaved: words.cause(unsaved) }, showLock);
      if (unsaved !== undefined) endWith(EXIT.unproven);
    });
  command(program, 'unlock', 'lets the server move an output again')
    .addArgument(numOutputArgument())
    .action(async (numOutput: number, options: object) => {
      print(await change(options, 'unlock', { numOutput }), showUnlock);
    });
}

function lockTime(text: string): number {
  const forMs = durationMs(text);
  if (forMs === null || forMs < LOCK_MIN_MS || forMs > LOCK_MAX_MS)
    throw new InvalidArgumentError(`It is a number with s, m, h or d, ${RANGE}.`);
  return forMs;
}

function showLock({ numOutput, forMs, unsaved }: LockReply, words: RelayctlWords): string {
  const locked = words.output(numOutput, words.locked(words.duration(forMs)));
  return unsaved === undefined ? locked : `${locked}\n${words.lockUnsaved(unsaved)}`;
}

function showUnlock({ numOutput, wasLocked }: UnlockReply, words: RelayctlWords): string {
  return words.output(numOutput, words.unlocked(wasLocked));
}

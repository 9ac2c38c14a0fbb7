/** `relayctl lock` and `unlock`: keeping the server from an output that somebody works at. */
import { LOCK_DEFAULT_MS, LOCK_MAX_MS, LOCK_MIN_MS } from '@relaygate/shared/limits';
import type { Command } from 'commander';
import type { LockReply, UnlockReply } from '../agent/technician/local-messages/locks';
import type { RelayctlTranslations } from '../locales/relayctl';
import type { CommandDeps } from './command-deps';
import { EXIT } from './exit-codes';
import { numOutputArgument } from './numbers';
import { timeOption } from './time-option';

const TIMES = { leastMs: LOCK_MIN_MS, mostMs: LOCK_MAX_MS, presetMs: LOCK_DEFAULT_MS };

const EXAMPLES = `
Examples:
  relayctl lock 2 --for 2h
  relayctl unlock 2

While an output is locked no command of the server moves it, nor one for another output whose interlock would switch it
off. Commands on this device still do, and a pulse that runs comes to its end.`;

type ShownLock = Omit<LockReply, 'unsaved'> & { unsaved?: string };

export function addCommands(program: Command, deps: CommandDeps): void {
  const { command, change, print, endWith, t } = deps;
  command(program, 'lock', 'keeps the server from moving an output, for work at what hangs on it')
    .addArgument(numOutputArgument())
    .addOption(timeOption('45m, 2h or 1d', TIMES))
    .addHelpText('after', EXAMPLES)
    .action(async (numOutput: number, options: { for: number }) => {
      const reply = await change(options, 'lock', { numOutput, forMs: options.for });
      const { unsaved, ...locked } = reply;
      print(unsaved === undefined ? locked : { ...locked, unsaved: t.causeText(unsaved) }, showLock);
      if (unsaved !== undefined) endWith(EXIT.unproven);
    });
  command(program, 'unlock', 'lets the server move an output again')
    .addArgument(numOutputArgument())
    .action(async (numOutput: number, options: object) => {
      print(await change(options, 'unlock', { numOutput }), showUnlock);
    });
}

function showLock({ numOutput, forMs, unsaved }: ShownLock, t: RelayctlTranslations): string {
  const locked = t.output(numOutput, t.locked(t.duration(forMs)));
  return unsaved === undefined ? locked : `${locked}\n${t.lockUnsaved(unsaved)}`;
}

function showUnlock({ numOutput, wasLocked }: UnlockReply, t: RelayctlTranslations): string {
  return t.output(numOutput, t.unlocked(wasLocked));
}

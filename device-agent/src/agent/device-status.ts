import { type ConsoleLanguage, completeOutput, type DeviceSettings } from '@relaygate/shared/device';
import type { GuardStatus, LastCommand } from '../guard/protocol';
import { shownFaults } from '../locales/fault-text';
import { localeOf } from '../locales/locales';
import type { Cause } from '../runtime/cause';
import { type Fault, fault } from '../runtime/fault';
import { type DeviceClock, wallTime } from '../runtime/wall-time';
import { commandWords, localOutcome } from './commands/command-words';
import { inputStatus } from './input-status';
import type { LinkView } from './link/device-link';
import type { KeptLock } from './settings/locks-file';
import type { DeviceStatus, OutputStatus, ShownCommand } from './technician/local-messages/device';

export interface DeviceStatusDeps {
  settings: DeviceSettings;
  version: string;
  link: LinkView;
  /** null: it is away. */
  guard: GuardStatus | null;
  guardProblem: Cause;
  locks: readonly KeptLock[];
  isSaved(lock: KeptLock): boolean;
  faults: readonly Fault[];
  /** The language of its reasons and faults. */
  language: ConsoleLanguage;
  webLeftMs: number | null;
  /** On the guard's clock too. */
  nowMs: number;
  wallClock: DeviceClock;
}

/** What a technician is shown of the device. */
export function deviceStatus(deps: DeviceStatusDeps): DeviceStatus {
  const { settings, version, guard, guardProblem, faults, language } = deps;
  const { isUp, epoch, problem } = deps.link;
  const locale = localeOf(language);
  const linkProblem = problem && locale.linkProblem(problem);
  const linkFaults = linkProblem === null ? [] : [fault('not-linked', { problem: linkProblem })];
  return {
    nowMs: Math.floor(deps.nowMs),
    productLogin: settings.link.productLogin,
    agentVersion: version,
    link: {
      isUp,
      serverUrl: settings.link.serverUrl,
      epoch,
      problem: linkProblem,
      cause: problem?.cause ?? null,
    },
    guard: { isReachable: guard !== null, problem: guard ? null : locale.causeText(guardProblem) },
    outputs: settings.outputs.map((output, numOutput) => ({
      numOutput,
      ...completeOutput(output),
      ...notesOf(numOutput, deps),
    })),
    inputs: inputStatus(settings.inputs ?? [], guard, deps.nowMs),
    lastCommands: (guard?.lastCommands ?? []).map((command) => shownCommand(command, deps)),
    faults: shownFaults([...faults, ...linkFaults], locale),
    webLeftMs: deps.webLeftMs,
  };
}

function notesOf(numOutput: number, { guard, locks, isSaved, nowMs }: DeviceStatusDeps): Pick<OutputStatus, 'state'> {
  const { state, unproven, confirmedBy, pulseEndedBy, endedBy, pulseSinceMs, pulseEndsMs } = guard?.outputs[
    numOutput
  ] ?? {
    state: null,
  };
  const lock = locks.find((kept) => kept.numOutput === numOutput);
  return {
    state,
    ...(unproven ? { unproven } : {}),
    ...(confirmedBy ? { confirmedBy } : {}),
    ...(pulseEndedBy ? { pulseEndedBy } : {}),
    ...(endedBy ? { endedBy } : {}),
    ...(pulseSinceMs === undefined ? {} : { pulseSinceMs }),
    ...(pulseEndsMs === undefined ? {} : { pulseLeftMs: Math.max(0, Math.round(pulseEndsMs - nowMs)) }),
    ...(lock
      ? {
          lock: {
            leftMs: Math.round(lock.untilMs - nowMs),
            by: lock.by,
            ...(isSaved(lock) ? {} : { isUnsaved: true }),
          },
        }
      : {}),
  };
}

function shownCommand(command: LastCommand, { nowMs, wallClock }: DeviceStatusDeps): ShownCommand {
  const { numOutput, by, reason, atMs } = command;
  const agoMs = Math.max(0, Math.round(nowMs - atMs));
  return {
    numOutput,
    words: commandWords(numOutput, command.command),
    by: by ?? null,
    outcome: localOutcome(command),
    ...(reason === undefined ? {} : { reason }),
    at: wallTime(wallClock, agoMs),
    agoMs,
  };
}

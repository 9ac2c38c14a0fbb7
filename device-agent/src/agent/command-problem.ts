import { DEVICE_REASONS, type DeviceOutcome, RelaygateError } from '@relaygate/shared';
import type { OutputSettings } from '@relaygate/shared/device';
import { noSuchOutput } from '../runtime/no-such-output';

/** What is shown to a technician whose command did not simply work. `unproven` is not `refused`: the output has moved. */
export function commandProblem(
  numOutput: number,
  outcome: Exclude<DeviceOutcome, 'executed' | 'already-set'>,
  reason: string | undefined,
  outputs: readonly OutputSettings[],
): RelaygateError {
  if (reason === 'no-such-output') return noSuchOutput(numOutput, outputs.length);
  const code = outcome === 'unproven' ? 'unproven' : 'refused';
  return new RelaygateError(code, wordsOf(numOutput, reason ?? outcome, outputs[numOutput]));
}

function wordsOf(numOutput: number, reason: string, settings: OutputSettings | undefined): string {
  const output = `Output ${numOutput}`;
  switch (reason) {
    case 'not-an-impulse-output':
      return `${output} is on-off and has no pulses; use "set ${numOutput} on" and "off", or "output ${numOutput} --mode impulse".`;
    case 'state-not-saved':
      return `${output} was switched, but that could not be saved: a power cut may bring the old state back.`;
    case 'feedback-missing':
      return `${output} is as commanded as far as the guard knows, but input ${settings?.feedbackInput} does not show it.`;
    case 'feedback-stuck':
      return `${output} was switched, but input ${settings?.feedbackInput} had shown that before: it proves nothing.`;
    case 'ended-by-policy':
      return `${output} was switched, and a policy ended that before input ${settings?.feedbackInput} showed it.`;
    case 'switched-too-soon':
      return `${output} was switched less than ${settings?.minSwitchIntervalMs} ms ago; nothing was moved.`;
    case 'policy-off':
      return `A policy of output ${numOutput} was about to switch it off first.`;
    case 'overtaken':
      return `Another command that switches output ${numOutput} off came before this one had moved it.`;
    case 'stopped':
      return `Somebody on site ended the pulse of output ${numOutput}, and what waited behind it.`;
    case 'other-pulse':
      return `The pulse of output ${numOutput} that runs now began after you looked. Nothing was moved; look again, and end that one.`;
    case 'ended-by-stop':
      return `${output} pulsed, and somebody on site ended that before input ${settings?.feedbackInput} showed it.`;
    case 'interlocked':
      return `Another output of interlock "${settings?.interlock}" pulses, or may be on; nothing was moved.`;
    case 'interlock-delay':
      return `The interlock's delay would end after the command's deadline; nothing was moved. Try again.`;
    case 'interlock-unread':
      return `The relay board does not answer, so nobody knows whether another output of interlock "${settings?.interlock}" is off; nothing was moved.`;
    case 'interlock-broken':
      return `Another output of interlock "${settings?.interlock}" went off, but output ${numOutput} did not go on; look at "relayctl status".`;
    case 'board-away':
      return 'The relay board is away; see "relayctl status". Nothing was moved.';
    case 'board-failed':
      return 'The relay board did not do it; see "relayctl status".';
    case 'expired':
      return `${output} was busy for too long; nothing was moved. Try again.`;
    default:
      return `The guard refused (${reason}${meaningOf(reason)}); see "relayctl status".`;
  }
}

function meaningOf(reason: string): string {
  const known = Object.entries(DEVICE_REASONS).find(([word]) => word === reason);
  return known ? `: ${known[1].meaning}` : '';
}

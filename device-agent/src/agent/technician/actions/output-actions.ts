import { EXECUTION_DEADLINE_MS, PULSE_MIN_MS, type Static } from '@relaygate/shared';
import { completeOutput, type OutputSettings, parseOutputSettings } from '@relaygate/shared/device';
import type { OutputCommand } from '../../../guard/protocol';
import { action } from '../../../ipc/schema-action';
import { curesOf, headerLineOf } from '../../../provisioning/boards/boot-level';
import { noSuchOutput, refused } from '../../../runtime/refused';
import { commandProblem } from '../../commands/command-problem';
import { commandWords, localOutcome, outcomeOf } from '../../commands/command-words';
import { answered, answerProblem, noAnswer, refusalOf } from '../../commands/guard-answer';
import { lateProblem, type RequestLife } from '../../commands/late-request';
import { localCommandId } from '../../commands/local-command-id';
import { happened } from '../../history/happened';
import type { Became, TechnicianAction } from '../../history/history';
import { settingChanges } from '../../history/setting-changes';
import {
  type CommandReply,
  type OutputReply,
  OutputRequest,
  PulseRequest,
  SetRequest,
  StopRequest,
} from '../local-messages/outputs';
import type { ActionDeps } from './action-deps';
import { allowedChange } from './allowed-change';
import { timelyAction } from './timely-action';

/** A valid output, to check one member at a time. */
const PROBE: OutputSettings = { name: 'a', mode: 'on-off', pulseMs: PULSE_MIN_MS, activeLevel: 'high', powerOn: 'off' };

type Asked = Static<typeof PulseRequest>;

/** Moving outputs, and changing their settings. */
export function outputActions(deps: ActionDeps) {
  const { guard, settings, clicks, history, events, lostAnswers, clock, randomness } = deps;

  /**
   * Executes a command as a remote one: at most once, and not after its execution deadline; not at all once nobody waits
   * for it.
   */
  async function command(
    { numOutput, notAfterMs, actor }: Asked,
    ordered: OutputCommand,
    givenUp: AbortSignal,
  ): Promise<CommandReply> {
    const commandId = localCommandId(randomness);
    const nowMs = clock.nowMs();
    const startBeforeMs = Math.min(nowMs + EXECUTION_DEADLINE_MS, notAfterMs);
    const log = (became: Became): void => {
      const words = commandWords(numOutput, ordered);
      const what = happened('command', { command: words, by: actor, ...outcomeOf(became) });
      events.logOutcome(became.outcome === 'unknown' ? [] : [commandId], what);
    };
    const enter = (outcome: string, reason?: string): Promise<number> => {
      log({ outcome, reason });
      return history.enterAction({ actor, kind: kindOf(ordered), numOutput, outcome, reason });
    };
    const enterLost = async (): Promise<void> => {
      const seq = await enter('unknown');
      const known = (became: Became): void => {
        log(became);
        history.knownLater(seq, numOutput, became);
      };
      lostAnswers.add({ commandId, startBeforeMs, known });
    };
    // Ending a pulse is never refused.
    const refusalReason = ordered.action === 'stop' ? null : clicks.refusalReason(numOutput);
    if (refusalReason !== null) {
      await enter('refused', refusalReason);
      if (refusalReason === 'not-proven') throw refused('refused', 'relays-being-proven', {});
      throw refused('refused', 'click-settings-left', { numOutput });
    }
    const late = lateProblem({ notAfterMs, givenUp }, nowMs);
    if (late) {
      await enter('expired');
      throw late;
    }
    const asked = guard.execute(
      { commandId, numOutput, command: ordered, startBeforeMs, epoch: null, by: actor },
      givenUp,
    );
    const reply = await asked.catch(async (error: unknown) => {
      const reason = refusalOf(error);
      await (reason === null ? enterLost() : enter('refused', reason));
      throw answerProblem(error);
    });
    if (reply === null) {
      await enterLost();
      throw noAnswer();
    }
    const { reason, state } = reply;
    const outcome = localOutcome(reply);
    await enter(outcome, reason);
    if (outcome !== 'executed' && outcome !== 'already-set' && outcome !== 'ignored') {
      throw commandProblem(numOutput, outcome, reason, settings.settings.outputs);
    }
    return { outcome, numOutput, ...(state === undefined ? {} : { state }) };
  }

  /** "Off" ends a pulse, because a person means that. The server's state 0 moves no impulse output. */
  function orderOf({ numOutput, state, pulseSinceMs }: Static<typeof SetRequest>): OutputCommand {
    const isImpulse = settings.settings.outputs[numOutput]?.mode === 'impulse';
    if (state === 1 || !isImpulse) return { action: 'set', state };
    const running = guard.status?.outputs[numOutput]?.pulseSinceMs ?? null;
    return { action: 'stop', pulseSinceMs: pulseSinceMs === undefined ? running : pulseSinceMs };
  }

  async function change(
    { numOutput, change: given, force, actor }: OutputRequest,
    life: RequestLife,
  ): Promise<OutputReply> {
    const change = allowedChange(given, (member, value) => parseOutputSettings({ ...PROBE, [member]: value }).ok);
    const [changed] = await answered(settings.change([{ numOutput, change }], { force, actor, life }));
    if (!changed) throw noSuchOutput(numOutput, settings.settings.outputs.length);
    const { before, after } = changed;
    for (const change of settingChanges(before, after))
      events.report('settings', happened('output-changed', { numOutput, changes: [change], actor }));
    const bcm = headerLineOf(settings.settings.board, numOutput);
    const isTurned = before.activeLevel !== after.activeLevel && bcm !== null;
    const cures = isTurned ? curesOf({ activeLevel: after.activeLevel, relays: [{ bcm }] }) : [];
    return { numOutput, before: completeOutput(before), after: completeOutput(after), bcm, cures };
  }

  return {
    set: action(SetRequest, (asked, givenUp) => command(asked, orderOf(asked), givenUp)),
    pulse: action(PulseRequest, (asked, givenUp) => command(asked, { action: 'pulse' }, givenUp)),
    stop: action(StopRequest, (asked, givenUp) =>
      command(asked, { action: 'stop', pulseSinceMs: asked.pulseSinceMs }, givenUp),
    ),
    output: timelyAction(clock, OutputRequest, change),
  };
}

function kindOf(ordered: OutputCommand): TechnicianAction['kind'] {
  if (ordered.action === 'set') return ordered.state === 1 ? 'set-on' : 'set-off';
  return ordered.action === 'stop' ? 'stop' : 'pulse';
}

import { EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import { causeOf } from '../../../runtime/problem';
import { refused } from '../../../runtime/refused';
import { answered } from '../../commands/guard-answer';
import type { RequestLife } from '../../commands/late-request';
import { type ResetReply, ResetRequest } from '../local-messages/reset';
import type { ActionDeps } from './action-deps';
import { timelyAction } from './timely-action';

/** How long the program goes on, so that the answer leaves first. */
const END_DELAY_MS = 200;
/** How long the wiping may take; after that the next agent goes on with it. */
const WIPE_PATIENCE_MS = 10_000;

export function resetActions(deps: ActionDeps) {
  const { guard, settings, files, factoryReset, clock, log, stopLink, end } = deps;

  /** From here on the guard holds every output off, until this agent ends or lets go of it. */
  async function switchOff(life: RequestLife): Promise<void> {
    const stuck = await answered(guard.switchOffForGood(life));
    if (stuck.length === 0) return;
    guard.letGo();
    throw refused('refused', 'reset-stuck', { outputs: stuck.join(', ') });
  }

  async function begin(actor: string): Promise<void> {
    try {
      await factoryReset.begin(actor);
    } catch (error) {
      guard.letGo();
      const refusal = refused('refused', 'reset-unwritten', { problem: causeOf(error) }, { cause: error });
      // A disk that fails may have the mark all the same, and the next agent would wipe this device.
      if (await factoryReset.isBegun().catch(() => true)) await takeBack(refusal);
      throw refusal;
    }
  }

  /**
   * I5: a guard that was started while the disk wrote the mark has restored outputs, and is not the one that holds them
   * off. From the mark on no guard starts.
   */
  async function switchOffAgain(): Promise<void> {
    const notAfterMs = clock.nowMs() + EXECUTION_DEADLINE_MS;
    try {
      await switchOff({ notAfterMs, givenUp: new AbortController().signal });
    } catch (error) {
      guard.letGo();
      await takeBack(refused('refused', 'reset-without-guard', { problem: causeOf(error) }, { cause: error }));
    }
  }

  /** Takes the mark back. Always rejects: with `refusal`, or with what follows if the mark stays. */
  async function takeBack(refusal: Error): Promise<never> {
    try {
      await factoryReset.takeBack();
    } catch (error) {
      // No guard starts beside the mark, so with this agent no command would succeed any more.
      clock.after(END_DELAY_MS, end);
      const why = { problem: causeOf(refusal.cause), why: causeOf(error) };
      throw refused('refused', 'reset-not-taken-back', why, { cause: error });
    }
    throw refusal;
  }

  async function reset(actor: string, life: RequestLife): Promise<void> {
    // A second mark would make the next agent wipe what is set up by then.
    files.refuseIfSealed('no-reset');
    await switchOff(life);
    await begin(actor);
    await switchOffAgain();
    log.warn(`factory reset by ${actor}`);
    stopLink();
    // Whatever happens now, this agent ends, and the next one finishes it.
    const giveUp = clock.after(WIPE_PATIENCE_MS, end);
    try {
      await files.seal();
      await factoryReset.finish();
    } catch (error) {
      throw refused('refused', 'reset-unfinished', { problem: causeOf(error) }, { cause: error });
    } finally {
      giveUp();
      clock.after(END_DELAY_MS, end);
    }
  }

  return {
    'factory-reset': timelyAction(clock, ResetRequest, async ({ productLogin, actor }, life): Promise<ResetReply> => {
      const own = settings.settings.link.productLogin;
      if (productLogin !== own) throw refused('refused', 'reset-elsewhere', { own, asked: productLogin });
      // Later changes find no file, and are refused.
      await settings.alone(() => reset(actor, life), life);
      return { productLogin };
    }),
  };
}

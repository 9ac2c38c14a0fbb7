/** Deliberate faults of relays that click for somebody who watches, and of what is made of the answers. */
import { ClickedOutputs } from '@relaygate/device-agent/agent/proof/clicked-outputs';
import { Clicks } from '@relaygate/device-agent/agent/proof/clicks';
import * as answers from '@relaygate/device-agent/agent/proof/proof-answers';
import { changed } from './changed';
import type { Sabotage } from './sabotage';

/** Answers about relays that nobody has heard are taken as well. */
export function asksForNoClicks(): Sabotage {
  return { inside: () => changed(ClickedOutputs.prototype, 'missing', () => () => []) };
}

/** Whatever is answered, the wiring is proven. */
export function takesWrongAnswers(): Sabotage {
  return { inside: () => changed(answers, 'verdictOn', () => () => ({ kind: 'right' })) };
}

/** Relays click for longer than is good for what hangs on them. */
export function clicksForLong(): Sabotage {
  return {
    toGuard(line) {
      const request = JSON.parse(line);
      if (request.type !== 'configure') return line;
      const changes = request.changes.map((change: { settings: { pulseMs: number } }) =>
        change.settings.pulseMs === 300 ? { ...change, settings: { ...change.settings, pulseMs: 380 } } : change,
      );
      return JSON.stringify({ ...request, changes });
    },
  };
}

/** Commands of the server are carried out while a relay clicks. */
export function letsOthersIn(): Sabotage {
  return { inside: () => changed(Clicks.prototype, 'refusalReason', () => () => null) };
}

/** The outputs of the modelled guard: each policy once, and those together that get into each other's way. */
import { type CompleteOutput, completeOutput } from '@relaygate/shared/device';
import { outputsWith } from '../../../support/device/device';

/** The longest of the group. */
const INTERLOCK_DELAY_MS = 90;
export const INTERLOCK = 'trio';
const LOCKED = { interlock: INTERLOCK, interlockDelayMs: 40 };
/** An impulse among them. They may leave it, and another output may come. */
export const GROUP = [1, 2, 4];
/** Of the group, with a feedback input. */
export const SHOWN_MEMBER = 1;
const MAX_ON_MS = 700;
const AGENT_LOSS_MS = 600;
const LINK_LOSS_MS = 900;

const [onOff] = outputsWith({});
if (!onOff) throw new Error('the demo has outputs');

export const OUTPUTS: readonly CompleteOutput[] = [
  ...outputsWith({
    0: { feedbackInput: 0, feedbackMs: 60 },
    [SHOWN_MEMBER]: { powerOn: 'restore', ...LOCKED, feedbackInput: SHOWN_MEMBER, feedbackMs: 50 },
    2: { ...LOCKED, interlockDelayMs: INTERLOCK_DELAY_MS },
    // Its proof takes longer than its pulse.
    3: { pulseMs: 120, feedbackInput: 3, feedbackMs: 200 },
  }),
  { ...onOff, powerOn: 'restore', ...LOCKED, maxOnMs: MAX_ON_MS } as const,
  {
    ...onOff,
    powerOn: 'restore',
    onAgentLoss: 'off',
    agentLossMs: AGENT_LOSS_MS,
    onLinkLoss: 'off',
    linkLossMs: LINK_LOSS_MS,
  } as const,
].map(completeOutput);

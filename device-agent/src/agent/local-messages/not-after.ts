import { Type } from '@relaygate/shared';

/** On the agent's monotonic clock, as `status` tells it: whoever asks has given up by then, and nothing may move any more. */
export const NotAfterMs = Type.Optional(Type.Number());

/** The limits (limits.ts) that a device's programs go by at their work. A guard loads no others. */

export const PULSE_MIN_MS = 50;
/** How often the agent sends the guard a heartbeat. */
export const AGENT_HEARTBEAT_MS = 2_000;
export const MAX_FEEDBACK_INPUT = 63;
/** Inputs of a board. */
export const MAX_INPUTS = MAX_FEEDBACK_INPUT + 1;
/** Inputs with a meaning: what bounces is no change. */
export const DEBOUNCE_MS = 30;
/** What bounces for longer is not known, and a fault. */
export const FLAPPING_MS = 1_000;
/** Nobody expects a door to open for a press that is older when it is handled. */
export const PRESS_MAX_AGE_MS = 500;
/** Presses that follow sooner move nothing. */
export const PRESS_INTERVAL_MS = 250;
export const STUCK_BUTTON_MS = 10_000;
/** A board that has not answered by then counts as failed; for a pulse never longer than the pulse (I4). */
export const DRIVE_TIMEOUT_MS = 1_000;
/** A disk that has not answered by then counts as failed: no edge and no answer of the guard waits longer. */
export const SAVE_PATIENCE_MS = 1_000;
/** Outcomes the guard remembers in this boot. */
export const KEPT_OUTCOMES = 256;
/** Commands of this boot that the guard's status names. */
export const LAST_COMMANDS = 5;
/**
 * The epoch of a link is at most this much above the highest one that the device knows. A restored server is a million ahead.
 * Without this limit, a false server could use the largest number, and the device would refuse the right server's commands
 * for ever.
 */
export const MAX_EPOCH_STEP = 2 ** 32;
/** Node cuts longer paths than 107 without an error. */
export const MAX_SOCKET_PATH_BYTES = 100;
/** Log lines that wait for their reader. */
export const LOG_MAX_BYTES = 1024 * 1024;

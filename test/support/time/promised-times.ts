/** Times that design and READMEs promise. Models and checker judge by these, so that a wrong number in the code is seen. */

/** Of a command, from its acceptance: nothing begins after the first (I2), and it is answered by the second (I6). */
export const EXECUTION_DEADLINE_MS = 4_500;
export const RESPONSE_DEADLINE_MS = 5_000;
/** A write that the database has not committed by then has failed. */
export const STORAGE_WRITE_TIMEOUT_MS = 1_000;
/** A server that stops waits so long for requests and outcomes, then for the last checkpoint. */
export const SERVER_DRAINS_WITHIN_MS = 8_000;
export const LAST_CHECKPOINT_MS = 3_000;
/** An `Idempotency-Key` stands for its command so long; what moved nothing may run anew only so soon. */
export const KEY_KEPT_MS = 24 * 3_600_000;
export const KEY_ANEW_MS = 30_000;
/** A refresh token that comes again within this gets the same successor. */
export const REFRESH_GRACE_MS = 30_000;

/** A relay that cannot be switched off is tried again this often. */
export const RELEASE_RETRY_MS = 100;
/** A board that has not answered an order by then has failed. */
export const DRIVE_TIMEOUT_MS = 1_000;
/** A disk that has not answered by then counts as one that refuses. */
export const SAVE_PATIENCE_MS = 1_000;
/** An input that cannot be read within this shows nothing. */
export const FEEDBACK_LOOK_MS = 100;
/** The longest that an interlock can be set to wait. */
export const INTERLOCK_DELAY_MAX_MS = 4_000;
/** How often an agent gives its guard a sign of life; one that is later than SILENCE_MS is silent. */
export const AGENT_HEARTBEAT_MS = 2_000;
export const SILENCE_MS = 2_500;

/** A press that is handled later than this after its edge, or that comes sooner after the one before, moves nothing. */
export const PRESS_MAX_AGE_MS = 500;
export const PRESS_INTERVAL_MS = 250;
/** So many commands of a boot a guard remembers, those of buttons for the history among them. */
export const KEPT_COMMANDS = 256;

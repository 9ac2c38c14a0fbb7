/** Times that the device's README promises. The models judge by these, so that a wrong number in the guard is seen. */

/** A relay that cannot be switched off is tried again this often. */
export const RELEASE_RETRY_MS = 100;
/** A board that has not answered an order by then has failed. */
export const DRIVE_TIMEOUT_MS = 1_000;
/** A disk that has not answered by then counts as one that refuses. */
export const SAVE_PATIENCE_MS = 1_000;
/** A sign of life comes every 2 s. An agent is silent that is later than this. */
export const SILENCE_MS = 2_500;

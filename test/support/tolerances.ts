/** What a test that measures real time allows on top of a deadline, beside what the machine itself was late. */

/** I6: on top of the 5,000 ms. */
export const ANSWER_SLACK_MS = 100;
export const TIMER_EARLY_MS = 1;
/** I4 loosely, beside everything else that runs; precision belongs to the bench. */
export const PULSE_EARLY_MS = 1;
export const PULSE_LATE_MS = 50;

/** What a test that measures real time allows on top of a deadline, beside what the machine itself was late. */

/** I6: on top of the 5,000 ms. */
export const ANSWER_SLACK_MS = 100;
export const TIMER_EARLY_MS = 1;
/** I4: by so much a pulse may be too short or too long beside a busy agent. */
export const PULSE_EARLY_MS = 1;
export const PULSE_LATE_MS = 5;

/** The limits (limits.ts) that hold on a device: of its outputs and its programs. A guard loads no others. */

export const MAX_OUTPUTS = 64;
export const MAX_NUM_OUTPUT = 999;
/** No known GPIO chip has more lines. Whether the chip has a line is checked when it is opened. */
export const MAX_GPIO_OFFSET = 1_023;
/** The highest BCM number on the Raspberry Pi's 40-pin header. */
export const MAX_HEADER_BCM = 27;
/** Modbus: 0 is broadcast, 248 to 255 are reserved. */
export const MAX_MODBUS_ADDRESS = 247;
/** The largest board of its kind. */
export const MAX_LCUS_RELAYS = 8;
export const MIN_BAUD = 1_200;
export const MAX_BAUD = 115_200;
export const DEFAULT_BAUD = 9_600;
/** Of the serial console, as on a Raspberry Pi's own console. */
export const CONSOLE_BAUD = 115_200;
/** The default time until a Modbus board's answer must begin; two answers fit into DRIVE_TIMEOUT_MS. */
export const MODBUS_ANSWER_MS = 150;
export const MODBUS_ANSWER_MIN_MS = 20;
export const MODBUS_ANSWER_MAX_MS = 400;
/** How often a Modbus board is asked for its inputs if one is watched. */
export const MODBUS_POLL_MS = 50;
export const MODBUS_POLL_MIN_MS = 20;
export const MODBUS_POLL_MAX_MS = 1_000;
export const PULSE_MIN_MS = 50;
export const PULSE_MAX_MS = 3_600_000;
/** Within the range of Node's timers. */
export const MAX_ON_MAX_MS = 86_400_000;
export const MIN_SWITCH_INTERVAL_MAX_MS = 3_600_000;
/** Less than EXECUTION_DEADLINE_MS, or no command could switch from one output of a group to another (I2). */
export const INTERLOCK_DELAY_MAX_MS = 4_000;
/** How often the agent sends the guard a heartbeat. */
export const AGENT_HEARTBEAT_MS = 2_000;
/** The minimum for `linkLossMs` and `agentLossMs`; more than twice AGENT_HEARTBEAT_MS. */
export const LOSS_MIN_MS = 5_000;
export const LOSS_MAX_MS = 86_400_000;
export const MAX_FEEDBACK_INPUT = 63;
/** Inputs of a board. */
export const MAX_INPUTS = MAX_FEEDBACK_INPUT + 1;
/** Inputs with a meaning: what bounces is no change. */
export const DEBOUNCE_MS = 30;
export const DEBOUNCE_MIN_MS = 5;
export const DEBOUNCE_MAX_MS = 200;
/** What bounces for longer is not known, and a fault. */
export const FLAPPING_MS = 1_000;
/** Nobody expects a door to open for a press that is older when it is handled. */
export const PRESS_MAX_AGE_MS = 500;
/** Presses that follow sooner move nothing. */
export const PRESS_INTERVAL_MS = 250;
export const STUCK_BUTTON_MS = 10_000;
export const STUCK_BUTTON_MIN_MS = 1_000;
export const STUCK_BUTTON_MAX_MS = 600_000;
export const FEEDBACK_MIN_MS = 10;
/** Within the 5 s in which the application waits. */
export const FEEDBACK_MAX_MS = 4_000;
/** A board that has not answered by then counts as failed; for a pulse never longer than the pulse (I4). */
export const DRIVE_TIMEOUT_MS = 1_000;
/** A disk that has not answered by then counts as failed: no edge and no answer of the guard waits longer. */
export const SAVE_PATIENCE_MS = 1_000;
/** Maintenance locks: no remote command moves a locked output. */
export const LOCK_MIN_MS = 60_000;
export const LOCK_MAX_MS = 7 * 86_400_000;
export const LOCK_DEFAULT_MS = 3_600_000;
/** Of the text that shows people on site who gave a command. */
export const BY_MAX_CHARS = 64;
/** Of the system user in the audit record of an operator's command. */
export const SYSTEM_USER_MAX_CHARS = 64;
export const OUTPUT_NAME_MAX_CHARS = 64;
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

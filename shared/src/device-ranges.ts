/** The limits (limits.ts) of what people set on a device and ask of it. Schemas and forms go by them; a guard loads none. */

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
export const PULSE_MAX_MS = 3_600_000;
/** Within the range of Node's timers. */
export const MAX_ON_MAX_MS = 86_400_000;
export const MIN_SWITCH_INTERVAL_MAX_MS = 3_600_000;
/** Less than EXECUTION_DEADLINE_MS, or no command could switch from one output of a group to another (I2). */
export const INTERLOCK_DELAY_MAX_MS = 4_000;
/** The minimum for `linkLossMs` and `agentLossMs`; more than twice AGENT_HEARTBEAT_MS. */
export const LOSS_MIN_MS = 5_000;
export const LOSS_MAX_MS = 86_400_000;
export const DEBOUNCE_MIN_MS = 5;
export const DEBOUNCE_MAX_MS = 200;
export const STUCK_BUTTON_MIN_MS = 1_000;
export const STUCK_BUTTON_MAX_MS = 600_000;
export const FEEDBACK_MIN_MS = 10;
/** Within the 5 s in which the application waits. */
export const FEEDBACK_MAX_MS = 4_000;
/** Maintenance locks: no remote command moves a locked output. */
export const LOCK_MIN_MS = 60_000;
export const LOCK_MAX_MS = 7 * 86_400_000;
export const LOCK_DEFAULT_MS = 3_600_000;
/** Of the text that shows people on site who gave a command. */
export const BY_MAX_CHARS = 64;
/** Of the system user in the audit record of an operator's command. */
export const SYSTEM_USER_MAX_CHARS = 64;
export const OUTPUT_NAME_MAX_CHARS = 64;

/** Every number that both sides must agree on, or that bounds something (I15), in one place. */

// The command's deadlines (design section 3). t0 = the command slot is acquired, on the server's monotonic clock.
/** The answer goes out at t0 + 5,000 ms at the latest: 504 then. */
export const RESPONSE_DEADLINE_MS = 5_000;
/** Nothing starts on the device after t0 + 4,500 ms (I2); a command still unsent then answers 504. */
export const EXECUTION_DEADLINE_MS = 4_500;
/** A link lost for less than this is waited for; longer is "not linked", answered at once. */
export const RECENTLY_LINKED_MS = 5_000;
/** An authorisation older than this is read again before the command is sent (I13). */
export const AUTHORISATION_FRESH_MS = 500;

// The device link.
export const LINK_PATH = '/device/v1/link';
export const LINK_SUBPROTOCOL = 'relaygate.link.v1';
export const LINK_MAX_FRAME_BYTES = 16 * 1024;
/** The device sends a `time` at least this often; it doubles as the heartbeat. */
export const HEARTBEAT_MS = 10_000;
/** Silence after which either side gives the link up. Longer than HEARTBEAT_MS by a slow round trip. */
export const DEAD_LINK_MS = 15_000;
/** From the proof to resume: done within this, or the server closes the link. */
export const HANDSHAKE_MS = 10_000;
/** Frames a device may send at once, and the sustained rate per second behind it, answers to commands on top; beyond, the link is closed. */
export const LINK_FRAME_BURST = 200;
export const LINK_FRAMES_PER_SECOND = 50;
export const FRAME_LIMITS = { burst: LINK_FRAME_BURST, perSecond: LINK_FRAMES_PER_SECOND } as const;
/** Bytes queued towards a device that does not read; beyond, the link is cut. */
export const LINK_MAX_QUEUED_BYTES = 64 * 1024;
/** Links that have not proven themselves yet, in all; beyond, new ones are refused. */
export const MAX_UNAUTHENTICATED_LINKS = 1_000;
/** And from one address (IPv6: one /64), high enough for a fleet behind one router. */
export const MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS = 250;
/** hello and proof must be done within this, so that silent sockets do not keep devices out. */
export const PROOF_MS = 4_000;
/**
 * Links that a product may begin at once, and the sustained rate behind it; beyond, 4429. A network in which links end every
 * 6 s asks for less than that rate.
 */
export const LINKS_AT_ONCE = 120;
export const LINKS_PER_MINUTE = 30;
/** Instances of a product's device that the server remembers, to notice one that comes back behind another (T10). */
export const KEPT_LINK_INSTANCES = 8;
/** Products whose link a database in trouble knows wrongly, remembered until it works again. */
export const MAX_UNSETTLED_LINKS = 10_000;
/** Command ids whose outcome the server asks for in one welcome. */
export const MAX_UNRESOLVED_PER_WELCOME = 64;
/**
 * No link's epoch is farther above the highest one that the device knows. A restored server jumps a million ahead. With
 * the largest number that there is, a false server would keep every later link of the right one from moving anything.
 */
export const MAX_EPOCH_STEP = 2 ** 32;

// The device's history of what people did at it.
export const MAX_EVENTS_PER_FRAME = 64;
/** An entry with this many changes, each of two values of this length, fits into a frame whatever the alphabet. */
export const MAX_EVENT_CHANGES = 10;
export const MAX_EVENT_VALUE_CHARS = 160;
/** The newest entries stay on the device, whether the server keeps them or not. */
export const KEPT_HISTORY_ENTRIES = 2_000;
/**
 * What a server keeps of a product's history at once, in bytes of its records, and the rate behind it; beyond, its answer
 * waits. A whole history of ordinary entries has 1.2 MB; of the largest it would have 35.
 */
export const HISTORY_BURST_BYTES = 4 * 1024 * 1024;
export const HISTORY_BYTES_PER_SECOND = 512;
/** Histories of one product that a server tells apart; a device gets a new one when its card is wiped. */
export const MAX_HISTORIES_PER_PRODUCT = 8;

// Time exchange.
export const TIME_SAMPLES_BEFORE_RESUME = 3;
export const TIME_SAMPLE_LIFE_MS = 60_000;
/** Two crystals drift apart by less than this: 200 ppm. */
export const CLOCK_DRIFT = 200e-6;

// Reconnecting (full jitter: a random delay between 0 and base * 2^attempt, at most the cap).
export const BACKOFF_BASE_MS = 1_000;
export const BACKOFF_CAP_MS = 60_000;
/** The least wait after the close code `replaced`: two agents hold one key, or this one was superseded. */
export const REPLACED_WAIT_MS = 60_000;
export const REPLACED_WAIT_CAP_MS = 3_600_000;

// Outputs.
export const MAX_OUTPUTS = 64;
export const MAX_NUM_OUTPUT = 999;
/** No GPIO chip known has more lines; whether the chip has one is checked when it is opened. */
export const MAX_GPIO_OFFSET = 1_023;
/** The highest BCM number on the Raspberry Pi's 40-pin header. */
export const MAX_HEADER_BCM = 27;
/** Modbus: 0 is for all, 248 to 255 are reserved. */
export const MAX_MODBUS_ADDRESS = 247;
/** The largest board of its kind. */
export const MAX_LCUS_RELAYS = 8;
export const MIN_BAUD = 1_200;
export const MAX_BAUD = 115_200;
export const DEFAULT_BAUD = 9_600;
/** Of the serial console, as of every console of a Raspberry Pi. */
export const CONSOLE_BAUD = 115_200;
/** How long a Modbus board may take before its answer begins, unless set otherwise; two answers fit into the guard's patience. */
export const MODBUS_ANSWER_MS = 150;
export const MODBUS_ANSWER_MIN_MS = 20;
export const MODBUS_ANSWER_MAX_MS = 400;
export const PULSE_MIN_MS = 50;
export const PULSE_MAX_MS = 3_600_000;
/** Within what a timer of Node can count. */
export const MAX_ON_MAX_MS = 86_400_000;
export const MIN_SWITCH_INTERVAL_MAX_MS = 3_600_000;
/** Less than EXECUTION_DEADLINE_MS, or no command could switch from one output of a group to another (I2). */
export const INTERLOCK_DELAY_MAX_MS = 4_000;
/** How often the agent gives the guard a sign of life. */
export const PRESENCE_MS = 2_000;
/** The least time without link or agent that an output can be set to; more than twice PRESENCE_MS. */
export const LOSS_MIN_MS = 5_000;
export const LOSS_MAX_MS = 86_400_000;
export const MAX_FEEDBACK_INPUT = 63;
/** Inputs of a board. */
export const MAX_INPUTS = MAX_FEEDBACK_INPUT + 1;
export const FEEDBACK_MIN_MS = 10;
/** Within the 5 s in which the application waits. */
export const FEEDBACK_MAX_MS = 4_000;
/** A board that has not answered an order by then counts as failed; for a pulse never longer than the pulse (I4). */
export const DRIVE_TIMEOUT_MS = 1_000;
/** A disk that has not answered by then counts as one that refuses: no edge and no answer of the guard waits longer. */
export const SAVE_PATIENCE_MS = 1_000;
/** How long the guard may take for a command at most, whatever board and disk do; beyond, it counts as away. */
export const GUARD_ANSWER_MS = EXECUTION_DEADLINE_MS + DRIVE_TIMEOUT_MS + SAVE_PATIENCE_MS + FEEDBACK_MAX_MS + 500;
/** Maintenance locks: an output that no remote command moves. */
export const LOCK_MIN_MS = 60_000;
export const LOCK_MAX_MS = 7 * 86_400_000;
export const LOCK_DEFAULT_MS = 3_600_000;
/** Who gave a command, as people on site are told. */
export const BY_MAX_CHARS = 64;
/** Of the system user that the audit names with an operator's command. */
export const SYSTEM_USER_MAX_CHARS = 64;
export const OUTPUT_NAME_MAX_CHARS = 64;
/** Outcomes the guard remembers in this boot. */
export const KEPT_OUTCOMES = 256;

// The technician's page.
export const WEB_PORT = 8_443;
/** How long it stays on. */
export const WEB_MIN_MS = 60_000;
export const WEB_MAX_MS = 8 * 3_600_000;
export const WEB_DEFAULT_MS = 30 * 60_000;
/** A session that is not used for this long is over. */
export const WEB_SESSION_IDLE_MS = 15 * 60_000;
/** With one more the session that was unused for longest is over. */
export const MAX_WEB_SESSIONS = 8;
export const MAX_WEB_CONNECTIONS = 32;
/** Of one host (an address; an IPv6 /64 of another network), so that one machine cannot keep all others out; a browser opens six. */
export const MAX_WEB_CONNECTIONS_PER_ADDRESS = 12;
/** How a technician calls themselves at the page. */
export const WEB_NAME_MAX_CHARS = 40;

// Tokens.
export const ACCESS_TOKEN_SECONDS = 600;
/** Replaying the direct parent within this gives the same successor again (a lost answer). */
export const REFRESH_GRACE_MS = 30_000;
/** A refresh family unused for this long is dead. */
export const REFRESH_IDLE_MS = 90 * 24 * 3_600_000;
/** Refresh families a client may have at once; the one unused longest gives way. */
export const MAX_FAMILIES_PER_CLIENT = 1_000;

// HTTP.
/**
 * Connections at once, links included. Where it is full one of a stranger goes. Below the 20,000 descriptors that a
 * process often may have; the service has 65,536.
 */
export const MAX_CONNECTIONS = 16_000;
/**
 * Connections from one address (IPv6: one /64) on which nobody has shown a valid token, key or proof yet; behind a
 * trusted proxy, such requests that are under way. More than the links that may be unproven.
 */
export const MAX_UNAUTHENTICATED_PER_ADDRESS = 500;
/** More headers than that are no request; Node would drop the rest of them, among these the length of the body. */
export const MAX_REQUEST_HEADERS = 1_000;
/**
 * Requests of one connection that wait for their answers. Few clients and no proxy send a second one before the first
 * is answered; hundreds of them in one packet are all run before anything else is.
 */
export const MAX_PIPELINED_REQUESTS = 16;
/** A request's headers must be in by then, and the whole request: short enough for a slowloris (T19). */
export const REQUEST_HEADERS_MS = 8_000;
export const WHOLE_REQUEST_MS = 15_000;
/** TLS must be agreed on by then. */
export const TLS_HANDSHAKE_MS = 10_000;
/** After the answer to what could not be read, or came too late, the client has this long to read it. */
export const RELEASE_MS = 1_000;
/** A client that leaves an answer unread for this long is cut off. */
export const ANSWER_TAKEN_MS = 10_000;
/** Longer than the 60 s of load balancers, so that it is they who close a connection that nobody uses. */
export const KEEP_ALIVE_MS = 75_000;
/** At a stop, a request that is not whole by then is given up; what is whole has its time to be answered. */
export const UPLOAD_GRACE_MS = 500;
export const MAX_BODY_BYTES = 16 * 1024;
/** A login text longer than this is no login (422); one that merely does not match the pattern is unknown (404). */
export const LOGIN_TEXT_MAX_CHARS = 256;
export const CREDENTIAL_TEXT_MAX_CHARS = 512;
export const FAILED_ATTEMPTS_PER_MINUTE = 20;
/** Addresses, keys and products whose failures are remembered at once. */
export const MAX_FAILURE_KEYS = 100_000;

/** What one client or one device may have written beside commands: so much at once, and so much a second behind it (I15). */
export const WRITE_LIMITS = {
  /** Of a client: each begins a refresh family, whose end may be on record. Hundreds of phones may have one key. */
  logins: { burst: 1_000, perSecond: 1 },
  /** Of a client; to associate and to dissociate alike. An installer's script may have thousands of products: 6 MB. */
  associations: { burst: 10_000, perSecond: 1 },
  /** Of a product: each may leave a record that two devices hold its key. */
  links: { burst: LINKS_AT_ONCE, perSecond: LINKS_PER_MINUTE / 60 },
  /** Of a product: rows that are overwritten, so that nothing grows but the write-ahead file while something reads. */
  reports: { burst: 100, perSecond: 2 },
  /** Of a product, in bytes. */
  history: { burst: HISTORY_BURST_BYTES, perSecond: HISTORY_BYTES_PER_SECOND },
} as const;
/** Clients or products whose budget of one kind is remembered at once. */
export const MAX_BUDGETS = 100_000;
/** Lines a minute for refused requests of one code and address; more are counted, and told in one line. */
export const REFUSALS_LOGGED_PER_SOURCE = 5;
/** And of one code, whatever the addresses. */
export const MAX_REFUSALS_LOGGED_PER_MINUTE = 50;
/** Lines a minute for one event with one error, such as requests that fail while the database does. */
export const MAX_FAULTS_LOGGED_PER_MINUTE = 10;
/** Lines a minute for refresh tokens that came again within their grace. */
export const MAX_REPLAYS_LOGGED_PER_MINUTE = 50;

// Storage.
/** A write that has not been committed by then fails, and the command answers 500. */
export const STORAGE_WRITE_TIMEOUT_MS = 1_000;
/** How often the free space of the data folder is looked at. */
export const DISK_CHECK_MS = 10_000;
/** Outcomes kept in memory while the database refuses them (I9); beyond, the oldest is logged and let go. */
export const MAX_OUTCOMES_TO_RETRY = 10_000;

/** A unix socket path in bytes: Node truncates silently at 107. */
export const MAX_SOCKET_PATH_BYTES = 100;

/** Lines of a log that wait for their reader. */
export const LOG_MAX_BYTES = 1024 * 1024;

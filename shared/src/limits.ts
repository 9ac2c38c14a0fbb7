/** Numbers that server and device must agree on, and numbers that bound something (I15). */
import { DRIVE_TIMEOUT_MS, SAVE_PATIENCE_MS } from './device-limits';
import { FEEDBACK_MAX_MS } from './device-ranges';

export * from './device-limits';
export * from './device-ranges';

// The command's deadlines (design section 3). t0 = the command slot is acquired, on the server's monotonic clock.
/** At t0 + 5,000 ms the answer is 504. */
export const RESPONSE_DEADLINE_MS = 5_000;
/** Nothing starts on the device after t0 + 4,500 ms (I2); a command still unsent then answers 504. */
export const EXECUTION_DEADLINE_MS = 4_500;
/** A command waits for a link that was lost less than this ago; otherwise "not linked" is answered at once. */
export const RECENTLY_LINKED_MS = 5_000;
/** An `Idempotency-Key` stands for its command at least this long, by the monotonic clock of a server that runs. */
export const IDEMPOTENCY_KEY_KEPT_MS = 24 * 3_600_000;
/** A command that moved nothing runs anew for its key only this long after the key came first: no door opens late. */
export const IDEMPOTENCY_ANEW_MS = 30_000;
export const IDEMPOTENCY_KEY_MAX_CHARS = 255;
/** Between two looks whether the command of a key has its outcome. */
export const IDEMPOTENCY_AGAIN_MS = 100;
/** An older authorisation is read again before the command is sent (I13). */
export const AUTHORISATION_FRESH_MS = 500;

// The device link.
export const LINK_PATH = '/device/v1/link';
export const LINK_SUBPROTOCOL = 'relaygate.link.v1';
export const LINK_MAX_FRAME_BYTES = 16 * 1024;
/** The device sends a `time` at least this often, as its heartbeat. */
export const HEARTBEAT_MS = 10_000;
/** After this silence either side cuts the link. Longer than HEARTBEAT_MS by a slow round trip. */
export const DEAD_LINK_MS = 15_000;
/** From proof to resume; beyond, the server closes the link. */
export const HANDSHAKE_MS = 10_000;
/** Frames of a device at once, and per second after that, in addition to answers to commands; beyond, the link is closed. */
export const LINK_FRAME_BURST = 200;
export const LINK_FRAMES_PER_SECOND = 50;
export const FRAME_LIMITS = { burst: LINK_FRAME_BURST, perSecond: LINK_FRAMES_PER_SECOND } as const;
/** Bytes queued for a device that does not read; beyond, the link is cut. */
export const LINK_MAX_QUEUED_BYTES = 64 * 1024;
/** Links whose device has not proven itself yet; beyond, the oldest of the address with the most is closed. */
export const MAX_UNAUTHENTICATED_LINKS = 1_000;
/** Of one address (IPv6: one /64). High enough for a fleet behind one router. */
export const MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS = 250;
/** For hello and proof, so that silent sockets do not keep devices out. */
export const PROOF_MS = 4_000;
/**
 * Links that a product may begin at once, and per minute after that; beyond, 4429. A device whose links end every 6 s needs a
 * third of that rate.
 */
export const LINKS_AT_ONCE = 120;
export const LINKS_PER_MINUTE = 30;
/** Instances of a product's device that the server remembers, to notice one that returns after another has linked (T10). */
export const KEPT_LINK_INSTANCES = 8;
/** Products whose link state in the database is wrong, because it failed; remembered until it works again. */
export const MAX_UNSETTLED_LINKS = 10_000;
/** Reports of a product that the server saves; a device sends no more of its own accord. */
export const REPORTS_AT_ONCE = 100;
export const REPORTS_PER_SECOND = 2;
/** Command ids whose outcome the server asks for in one welcome. */
export const MAX_UNRESOLVED_PER_WELCOME = 64;

// The device's history of technician actions.
export const MAX_EVENTS_PER_FRAME = 64;
/** An entry with this many changes, each of two values of this length, fits into a frame in any alphabet. */
export const MAX_EVENT_CHANGES = 10;
export const MAX_EVENT_VALUE_CHARS = 160;
/** The newest entries stay on the device, also after the server has stored them. */
export const KEPT_HISTORY_ENTRIES = 2_000;
/**
 * How much of a product's history a server stores at once, in bytes of its records, and per second after that; beyond, its
 * answer waits. A whole history of ordinary entries has 1.2 MB, of the largest entries 35 MB.
 */
export const HISTORY_BURST_BYTES = 4 * 1024 * 1024;
export const HISTORY_BYTES_PER_SECOND = 512;
/** Histories of one product that a server remembers; a device begins a new one when its card is wiped. */
export const MAX_HISTORIES_PER_PRODUCT = 8;

// Time exchange.
export const TIME_SAMPLES_BEFORE_RESUME = 3;
export const TIME_SAMPLE_LIFE_MS = 60_000;
/** Two crystals drift apart by less than this: 200 ppm. */
export const CLOCK_DRIFT = 200e-6;

// Reconnecting: a random wait between half of base * 2^attempt, at most the cap, and all of it; the first begins at 0.
export const BACKOFF_BASE_MS = 1_000;
export const BACKOFF_CAP_MS = 60_000;
/** The least wait after the close code `replaced`: two agents hold one key, or this one was superseded. */
export const REPLACED_WAIT_MS = 60_000;
export const REPLACED_WAIT_CAP_MS = 3_600_000;

// The device's outputs: device-limits.ts.
/** The longest time that the guard may take for a command, whatever board and disk do; beyond, it counts as away. */
export const GUARD_ANSWER_MS = EXECUTION_DEADLINE_MS + DRIVE_TIMEOUT_MS + SAVE_PATIENCE_MS + FEEDBACK_MAX_MS + 500;

// The technician's page.
export const WEB_PORT = 8_443;
/** How long it stays on. */
export const WEB_MIN_MS = 60_000;
export const WEB_MAX_MS = 8 * 3_600_000;
export const WEB_DEFAULT_MS = 30 * 60_000;
/** A session that is unused for this long ends. */
export const WEB_SESSION_IDLE_MS = 15 * 60_000;
/** Beyond, the session that was unused for longest ends. */
export const MAX_WEB_SESSIONS = 8;
export const MAX_WEB_CONNECTIONS = 32;
/** Of one host (an address, or an IPv6 /64 of another network), so that no machine keeps the others out. A browser opens six. */
export const MAX_WEB_CONNECTIONS_PER_ADDRESS = 12;
/** Of the name that a technician gives at the page. */
export const WEB_NAME_MAX_CHARS = 40;

// Tokens.
export const ACCESS_TOKEN_SECONDS = 600;
/** A direct parent that comes again within this time gets the same successor, because the answer may have been lost. */
export const REFRESH_GRACE_MS = 30_000;
/** A refresh family unused for this long is dead. */
export const REFRESH_IDLE_MS = 90 * 24 * 3_600_000;
/** Beyond, the client's family that was unused for longest ends. */
export const MAX_FAMILIES_PER_CLIENT = 1_000;

// HTTP.
/**
 * Connections at once, links included; beyond, the oldest unauthenticated one is cut. Below 20,000, a usual limit of
 * descriptors for a process; the service has 65,536.
 */
export const MAX_CONNECTIONS = 16_000;
/**
 * Connections of one address (IPv6: one /64) that have shown no valid token, key or proof yet; behind a trusted proxy, running
 * requests. More than the unauthenticated links of an address.
 */
export const MAX_UNAUTHENTICATED_PER_ADDRESS = 500;
/** More headers are refused: Node could drop some of them, such as the length of the body. */
export const MAX_REQUEST_HEADERS = 1_000;
/**
 * Requests of one connection that wait for their answers. Few clients and no proxy send a second request before the first
 * answer, and hundreds of them in one packet would delay everything else.
 */
export const MAX_PIPELINED_REQUESTS = 16;
/** For the headers, and for the whole request (T19). */
export const REQUEST_HEADERS_MS = 8_000;
export const WHOLE_REQUEST_MS = 15_000;
export const TLS_HANDSHAKE_MS = 10_000;
/** How long the client may read the answer to an unreadable or late request. */
export const RELEASE_MS = 1_000;
/** A client that does not read its answer for this long is cut. */
export const ANSWER_TAKEN_MS = 10_000;
/** Longer than the 60 s of load balancers, so that they close idle connections, not the server. */
export const KEEP_ALIVE_MS = 75_000;
/** How long one of several servers serves on when it is to stop: a load balancer that looks every 500 ms notices it twice. */
export const LEAVE_MS = 2_000;
/** At a stop, requests that are not complete by then are cut; complete ones are answered. */
export const UPLOAD_GRACE_MS = 500;
export const MAX_BODY_BYTES = 16 * 1024;
/** A longer text is refused (422); a shorter one that does not match the pattern is an unknown login (404). */
export const LOGIN_TEXT_MAX_CHARS = 256;
export const CREDENTIAL_TEXT_MAX_CHARS = 512;
export const FAILED_ATTEMPTS_PER_MINUTE = 20;
/** Addresses, keys, products and refresh families whose failures are remembered. */
export const MAX_FAILURE_KEYS = 100_000;

/** Of a page of a list, and how many it has if the client does not say. */
export const MAX_PAGE_ITEMS = 100;
export const DEFAULT_PAGE_ITEMS = 50;
/** Room for a mark of where the page before ended, and its seal. */
export const CURSOR_MAX_CHARS = 256;
/** How often the database is read for one page, MAX_PAGE_ITEMS + 1 rows each time. */
export const MAX_READS_PER_PAGE = 10;
/** Such readings of a client, at once, and per second after that. Hundreds of phones may have one key. */
export const LIST_LIMITS = { burst: 300, perSecond: 10 } as const;

/** Writes that one client or device can cause, beside commands: an amount at once, and a rate per second after that (I15). */
export const WRITE_LIMITS = {
  /** Of a client. Each begins a refresh family, whose end may be recorded. Hundreds of phones may have one key. */
  logins: { burst: 1_000, perSecond: 1 },
  /** Of a client, associations begun and ended. An installer's script may have thousands of products: 6 MB. */
  associations: { burst: 10_000, perSecond: 1 },
  /** Of a product. Each may cause a record that two devices hold its key. */
  links: { burst: LINKS_AT_ONCE, perSecond: LINKS_PER_MINUTE / 60 },
  /** Of a product. They overwrite rows, so only the write-ahead file can grow, while a reader holds it. */
  reports: { burst: REPORTS_AT_ONCE, perSecond: REPORTS_PER_SECOND },
  /** Of a product, in bytes. */
  history: { burst: HISTORY_BURST_BYTES, perSecond: HISTORY_BYTES_PER_SECOND },
} as const;
/** Clients or products whose budget of one kind is remembered. */
export const MAX_BUDGETS = 100_000;
/** Lines a minute for refused requests of one code and address; one more line shows the count of the others. */
export const REFUSALS_LOGGED_PER_SOURCE = 5;
/** Lines a minute for refused requests of one code, of all addresses. */
export const MAX_REFUSALS_LOGGED_PER_MINUTE = 50;
/** Lines a minute for one event with one error, such as requests that fail while the database does. */
export const MAX_FAULTS_LOGGED_PER_MINUTE = 10;
/** Different errors of one event that are counted apart in a minute; further ones are counted together. */
export const MAX_FAULT_KINDS_PER_EVENT = 10;
/** Lines a minute for refresh tokens that were repeated within their grace. */
export const MAX_REPLAYS_LOGGED_PER_MINUTE = 50;

// Between nodes.
/** A message between nodes; the longest command has 700 bytes. */
export const MAX_NODE_MESSAGE_BYTES = 4 * 1024;
/** How long a node waits for another's time; without it no command goes there. */
export const NODE_TIME_MS = 1_000;
/** A node that has commands for another asks for its time again after this long. */
export const NODE_TIME_AGAIN_MS = 10_000;
/** Other nodes whose clocks a node remembers. */
export const MAX_OTHER_NODES = 100;
/** Answers of other nodes that a node waits for; beyond, its commands to them are answered 500. */
export const MAX_AWAITED_ANSWERS = 4_000;
/** Commands of other nodes, and of one of them, that a node has at work; beyond, it takes none. */
export const MAX_ROUTED_COMMANDS = 4_000;
export const MAX_ROUTED_COMMANDS_PER_NODE = 2_000;
/** Ids of other nodes' commands that a node remembers, each until a repetition would be too late; beyond, it takes none. */
export const MAX_KNOWN_COMMANDS = 100_000;
/** How often a node tells the others what its limits have counted, if anything. */
export const TELL_COUNTS_MS = 500;
/** Keys of one kind in such a message; more wait for the next one. */
export const MAX_COUNTS_PER_KIND = 200;
/** Eight kinds of 200 keys, nearly all of 64 characters and those of one kind of 129, are below. */
export const MAX_COUNTS_BYTES = 192 * 1024;
/** While another node tells its counts, it is asked this often which of them are not older. */
export const COUNTS_LIFE_MS = 2_000;
/** How long a budget that other nodes have overdrawn is used up at most. */
export const MAX_SHARED_DEBT_MS = 60_000;
/** How soon a node looks again for the owner of a link, after a node that does not own it any more. */
export const OWNER_AGAIN_MS = 100;

// Storage.
/** A write that is not committed by then fails, and its command answers 500. */
export const STORAGE_WRITE_TIMEOUT_MS = 1_000;
/** How often the server looks for pending commands that nobody settles. */
export const PENDING_SWEEP_MS = 30_000;
/** Such a sweep reads at most this many pending commands, the oldest first, and settles no others. */
export const MAX_COMMANDS_PER_SWEEP = 1_000;
/** Old rows that one write of a sweep removes. */
export const MAX_ROWS_PER_SWEEP_WRITE = 250;
/** How often the free space of the data folder is checked. */
export const DISK_CHECK_MS = 10_000;
/** How often the audit gets a checkpoint, if something was appended. */
export const CHECKPOINT_EVERY_MS = 60_000;
/** How long writing it to its file may take; the file may be on another machine. */
export const KEEP_CHECKPOINT_MS = 10_000;
/** How long the last one may take when the server stops, in the database and in its file. */
export const KEEP_LAST_CHECKPOINT_MS = 3_000;
/** Listeners for changes at once; each holds at most one page of changes. */
export const MAX_CHANGE_LISTENERS = 1_000;
/** Outcomes kept in memory while the database refuses them (I9); beyond, the oldest is logged and dropped. */
export const MAX_OUTCOMES_TO_RETRY = 10_000;

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import * as shared from '@relaygate/shared';
import { ROOT } from '../../support/processes/program';

const { productCommandsPerMinute, clientCommandsPerMinute } = shared.ServerSettings.properties;
const NUMBERS: Readonly<Record<string, unknown>> = {
  ...shared,
  ROWS_PER_PAGE: shared.MAX_READS_PER_PAGE * (shared.MAX_PAGE_ITEMS + 1),
  HALF_BACKOFF_S: shared.BACKOFF_CAP_MS / 2_000,
  PRODUCT_COMMANDS: Number(productCommandsPerMinute.default),
  CLIENT_COMMANDS: Number(clientCommandsPerMinute.default),
};
/** What one of a unit is, in that of the number. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  minute: 60_000,
  'a second': 60,
  KiB: 1_024,
  MiB: 1_024 * 1_024,
};

/** White space as in one line, so that a sentence may be wrapped anywhere. */
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8').replace(/\s+/g, ' ');

/** `{NAME}`, or `{NAME unit}`. */
function withNumbers(sentence: string): string {
  return sentence.replaceAll(/\{([\w.]+)(?: ([\w ]+))?\}/g, (_mark, path: string, unit?: string) => {
    const value = path.split('.').reduce<unknown>((part, name) => Object(part)[name], NUMBERS);
    if (unit === undefined) return Number(value).toLocaleString('en');
    return `${(Number(value) / Number(UNITS[unit])).toLocaleString('en')} ${unit}`;
  });
}

/** Sentences that hold numbers of shared/src/limits.ts: where a limit changes, so must they. */
test.each([
  ['shared/README.md', 'time (every {HEARTBEAT_MS s})'],
  ['shared/README.md', 'a device sends one at least every {HEARTBEAT_MS s} while the link is up'],
  ['shared/README.md', 'A side that has received none for {DEAD_LINK_MS s} cuts the connection'],
  ['shared/README.md', 'No sample of this link within the last {TIME_SAMPLE_LIFE_MS s}'],
  ['shared/README.md', 'after {RESPONSE_DEADLINE_MS s} the server'],
  ['shared/README.md', '`unknown` after {RESPONSE_DEADLINE_MS s}.'],
  ['shared/README.md', 'still within its {RESPONSE_DEADLINE_MS s} is answered'],
  ['shared/README.md', 'It keeps at least the last {KEPT_OUTCOMES} outcomes of its boot.'],
  ['shared/DECISIONS.md', 'all {KEPT_OUTCOMES} kept outcomes'],
  ['shared/README.md', 'next try after {HALF_BACKOFF_S} to {BACKOFF_CAP_MS s}'],
  ['shared/README.md', 'between half of min({BACKOFF_CAP_MS s}, {BACKOFF_BASE_MS s} x 2^n)'],
  ['shared/README.md', 'for n = 0 between 0 and {BACKOFF_BASE_MS s},'],
  ['shared/README.md', 'a random time between {HALF_BACKOFF_S} and {BACKOFF_CAP_MS s}.'],
  ['shared/README.md', 'min({REPLACED_WAIT_CAP_MS s}, {REPLACED_WAIT_MS s} x 2^(k-1))'],
  ['shared/README.md', 'waits at least {REPLACED_WAIT_MS s}, growing'],
  ['shared/README.md', 'does not open within {HANDSHAKE_MS s}'],
  ['server/README.md', 'commands wait for them up to {EXECUTION_DEADLINE_MS s}.'],
  ['server/LIMITS.md', '| hello and proof, the rest of the handshake | {PROOF_MS s}, {HANDSHAKE_MS s} |'],
  ['server/LIMITS.md', '| body of a request | {MAX_BODY_BYTES KiB} |'],
  ['server/LIMITS.md', '| failed logins, refreshes and claims | {FAILED_ATTEMPTS_PER_MINUTE} a minute per address'],
  ['server/LIMITS.md', '| a page of a list | {MAX_PAGE_ITEMS} products or commands, of at most {ROWS_PER_PAGE} rows'],
  ['server/LIMITS.md', 'a client has {LIST_LIMITS.burst}, and {LIST_LIMITS.perSecond} a second, at each node;'],
  ['server/LIMITS.md', 'A page takes one reading, or up to {MAX_READS_PER_PAGE} where'],
  ['server/API.md', 'at most `limit` (1 to {MAX_PAGE_ITEMS}, default {DEFAULT_PAGE_ITEMS})'],
  ['server/LIMITS.md', '| listeners for changes | {MAX_CHANGE_LISTENERS}, each'],
  ['server/LIMITS.md', '| remembered failures | {MAX_FAILURE_KEYS} keys |'],
  [
    'server/LIMITS.md',
    '| refused requests in the log, and refused links | {REFUSALS_LOGGED_PER_SOURCE} lines a minute of one code and address, {MAX_REFUSALS_LOGGED_PER_MINUTE} of one code |',
  ],
  ['server/LIMITS.md', 'fail while the database does | {MAX_FAULTS_LOGGED_PER_MINUTE} lines a minute |'],
  ['server/LIMITS.md', 'counted apart in the log | {MAX_FAULT_KINDS_PER_EVENT} a minute |'],
  ['server/LIMITS.md', '| repeated refresh tokens in the log | {MAX_REPLAYS_LOGGED_PER_MINUTE} lines a minute |'],
  [
    'server/LIMITS.md',
    '| client | {WRITE_LIMITS.associations.burst}, {WRITE_LIMITS.associations.perSecond} a second | 429',
  ],
  ['server/LIMITS.md', '| client | {WRITE_LIMITS.logins.burst}, {WRITE_LIMITS.logins.perSecond} a second | 429'],
  [
    'server/LIMITS.md',
    '| commands to one product: record and outcome | client | {PRODUCT_COMMANDS}, {PRODUCT_COMMANDS a second} | 429',
  ],
  ['server/LIMITS.md', '| commands to all products | client | {CLIENT_COMMANDS}, {CLIENT_COMMANDS a second} |'],
  ['server/STORAGE.md', 'every hour, at most {MAX_ROWS_PER_SWEEP_WRITE} a write,'],
  ['server/LIMITS.md', '| product | {LINKS_AT_ONCE}, {LINKS_PER_MINUTE} a minute | the link is closed with 4429'],
  [
    'server/LIMITS.md',
    '| product | {WRITE_LIMITS.reports.burst}, {WRITE_LIMITS.reports.perSecond} a second | the newest',
  ],
  ['server/LIMITS.md', 'remembered for {MAX_BUDGETS} clients or products.'],
  [
    'server/LIMITS.md',
    "| {HISTORY_BURST_BYTES MiB}, {HISTORY_BYTES_PER_SECOND} bytes a second | the device's answer waits",
  ],
  ['server/LIMITS.md', 'in a message | {MAX_COUNTS_PER_KIND} | wait for the next message, {TELL_COUNTS_MS} ms later |'],
  ['server/LIMITS.md', '| a message of counts | {MAX_COUNTS_BYTES KiB} |'],
  ['server/LIMITS.md', '| nodes whose counts are heard | {MAX_OTHER_NODES} |'],
  ['server/LIMITS.md', 'every {COUNTS_LIFE_MS s} after that | {COUNTS_LIFE_MS s} |'],
  ['server/LIMITS.md', 'paid back first, but for {MAX_SHARED_DEBT_MS minute} at most.'],
  ['server/LIMITS.md', '| refresh families of a client | {MAX_FAMILIES_PER_CLIENT} |'],
  ['server/LIMITS.md', '{MAX_UNAUTHENTICATED_LINKS}, and {MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS} per address |'],
  ['server/LIMITS.md', '| connections, links included | {MAX_CONNECTIONS} |'],
  ['server/LIMITS.md', 'its running requests | {MAX_UNAUTHENTICATED_PER_ADDRESS} |'],
  ['server/LIMITS.md', '| requests of one connection that wait for their answers | {MAX_PIPELINED_REQUESTS} |'],
  ['server/LIMITS.md', '| headers of a request | {MAX_REQUEST_HEADERS}, and 16 KiB (Node) |'],
  [
    'server/LIMITS.md',
    'the whole request | {TLS_HANDSHAKE_MS s}, {REQUEST_HEADERS_MS s}, {WHOLE_REQUEST_MS s} | connection closed, {RELEASE_MS s} later',
  ],
  ['server/LIMITS.md', 'an answer that its client does not read | {ANSWER_TAKEN_MS s} |'],
  ['server/LIMITS.md', '| idle keep-alive connection | {KEEP_ALIVE_MS s} |'],
  ['server/LIMITS.md', 'not whole when the server stops | {UPLOAD_GRACE_MS} ms |'],
  ['server/LIMITS.md', '| a frame of a device | {LINK_MAX_FRAME_BYTES KiB},'],
  ['server/LIMITS.md', '| {LINK_FRAME_BURST} at once, {LINK_FRAMES_PER_SECOND} a second,'],
  ['server/LIMITS.md', 'a device that does not read | {LINK_MAX_QUEUED_BYTES KiB} |'],
  ['server/LIMITS.md', '| outcomes waiting for the database | {MAX_OUTCOMES_TO_RETRY} |'],
  ['server/LIMITS.md', 'asked for at a link | {MAX_UNRESOLVED_PER_WELCOME} |'],
  ['server/LIMITS.md', '| silence of a device | {DEAD_LINK_MS s} |'],
  ['server/LIMITS.md', '| writes waiting for the database | 20,000, {STORAGE_WRITE_TIMEOUT_MS s} each'],
  ['server/DECISIONS.md', 'logins {LOGIN_TEXT_MAX_CHARS} characters, credentials {CREDENTIAL_TEXT_MAX_CHARS};'],
  ['device-agent/DECISIONS.md', 'cannot be saved within {SAVE_PATIENCE_MS s}, it moves'],
  ['device-agent/DECISIONS.md', 'does not return fails after {DRIVE_TIMEOUT_MS s},'],
  ['device-agent/FILES.md', 'the last {KEPT_OUTCOMES} commands of this boot'],
  ['device-agent/DECISIONS.md', 'By count alone, {KEPT_OUTCOMES} local commands within {EXECUTION_DEADLINE_MS s}'],
])('%s says what shared/src/limits.ts says: %s', (file, sentence) => {
  expect(textOf(file)).toContain(withNumbers(sentence));
});

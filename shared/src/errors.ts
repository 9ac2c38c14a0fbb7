/**
 * The table of all errors. `status` is the HTTP status; codes without a status are for programs and local interfaces. Callers
 * branch on the code, never on the text.
 */
export const ERRORS = {
  // HTTP API (contract section 7, design section 5)
  'bad-token': { status: 401, meaning: 'Access token invalid or expired; refresh the tokens.' },
  'client-key-not-found': { status: 401, meaning: 'The client key is unknown or deactivated.' },
  'user-not-allowed': { status: 403, meaning: 'The client key is not allowed to control this output.' },
  'product-not-found': { status: 404, meaning: 'The product login or product key is not known.' },
  'not-found': { status: 404, meaning: 'There is nothing at this path.' },
  'method-not-allowed': { status: 405, meaning: 'This path does not take this method; see the Allow header.' },
  'request-already-pending': { status: 409, meaning: 'A command for this product is in progress.' },
  'payload-too-large': { status: 413, meaning: 'The body is larger than the server takes.' },
  'invalid-params': { status: 422, meaning: 'The request cannot be read, or its parameters are wrong.' },
  'idempotency-key-reused': { status: 422, meaning: 'The Idempotency-Key stands for another request.' },
  'too-many-requests': {
    status: 429,
    meaning: 'Too many failed attempts, commands or writes; wait for the seconds in Retry-After.',
  },
  unknown: { status: 500, meaning: 'Unexpected server error; the command certainly did not reach the device.' },
  'device-timeout': { status: 504, meaning: 'The device did not confirm within 5 seconds.' },
  'bad-request': { status: 400, meaning: 'The server cannot read this as HTTP.' },

  // Starting a program
  'bad-setting': { meaning: 'A setting is unknown or has a value it cannot have.' },
  'port-in-use': { meaning: 'Another program listens at this address.' },
  'unsafe-listen': { meaning: 'Listening beyond loopback needs TLS or a trusted proxy.' },
  'folder-not-writable': { meaning: 'A folder cannot be written.' },
  'database-too-new': { meaning: 'The database was written by a newer version of this program.' },
  'audit-broken': { meaning: 'A record of the audit was changed, removed or moved.' },
  'disk-full': { meaning: 'The disk has too little room; nothing was changed.' },
  'database-unusable': { meaning: 'The database cannot be opened or is not a Relaygate database.' },
  'secrets-unusable': { meaning: "The server's secrets cannot be read, or others can read them." },
  'file-corrupt': { meaning: 'A file cannot be read, or is damaged.' },
  'socket-unusable': { meaning: 'A unix socket cannot be opened or used.' },
  'board-unusable': { meaning: 'The relay board cannot be opened as the settings say.' },
  'board-busy': { meaning: 'Another program holds a line of the relay board.' },
  'migrated-away': { meaning: 'The data was migrated to another database; what is here is old.' },
  'migration-unfinished': { meaning: 'A migration to PostgreSQL was cut short; run it again to finish it.' },
  'already-running': { meaning: 'Another process of this kind runs already.' },

  // Operator's commands
  'already-exists': { meaning: 'This name exists already.' },
  'client-not-found': { meaning: 'No client has this id.' },
  'name-not-found': { meaning: 'No record names this person.' },
  'association-not-found': { meaning: 'The client is not associated with the product.' },
  'output-not-found': { meaning: 'The product or device has no output of this number.' },

  'not-for-postgresql': { meaning: 'For a database of PostgreSQL, its own programs do this.' },

  // Storage
  'storage-unavailable': { meaning: 'The database did not write in time; nothing was changed.' },
  'storage-unanswered': { meaning: 'It is not known whether the write was committed.' },

  // Preparing cards
  'image-unusable': { meaning: 'The file is no image of a card, or is cut short or damaged.' },
  'no-space': { meaning: 'There is too little room to write the file.' },
  'card-unusable': { meaning: 'This device must not be written: it is a system disk, in use, or too small.' },
  'archive-unfinished': { meaning: 'An earlier archive of the audit was cut short; finish it first.' },
  'archived-meanwhile': { meaning: 'Records of the audit were archived while they were read; begin again.' },
  'not-verified': { meaning: 'What was read back is not what was written.' },

  // Local interfaces of the device
  'agent-unreachable': { meaning: 'The agent does not run, or its socket is not for this user.' },
  'guard-unreachable': { meaning: 'The guard does not run, so no output can be moved.' },
  'outcome-unknown': { meaning: 'No answer came: it may have happened. Look before trying again.' },
  'out-of-range': { meaning: 'A value is outside its range.' },
  'output-active': { meaning: 'The output is active; switch it off first or use --force.' },
  'epoch-too-far': { meaning: "The link's epoch is too far above the last one; the link is given up." },
  refused: { meaning: 'The device refused the command.' },
  unproven: { meaning: 'The device did it as far as it knows, but cannot be sure.' },
  'no-pin': { meaning: 'This device has no PIN yet; "relayctl identity --new-pin" makes one.' },
  'wrong-pin': { meaning: 'This is not the PIN of this device.' },
  'too-many-strangers': {
    meaning:
      'Others have tried too many wrong PINs. Use a browser that was let in here before, the serial console or relayctl.',
  },
  'not-logged-in': { meaning: 'Nobody is logged in at the page, or the session is over.' },
  'foreign-request': { meaning: "The request does not come from this device's page." },
  'bad-usage': { meaning: 'The command cannot be understood; see --help.' },
} as const satisfies Record<string, { status?: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** The HTTP status of a code; 500 for codes that are not the API's, or of another version's. */
export function statusOf(code: ErrorCode): number {
  const row: { status?: number; meaning: string } | undefined = ERRORS[code];
  return row?.status ?? 500;
}

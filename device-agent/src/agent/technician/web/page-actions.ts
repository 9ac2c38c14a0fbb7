/** What a technician at the page may ask of the local API. Not there: a new PIN, another board, the factory reset. */
export const PAGE_ACTIONS: ReadonlySet<string> = new Set([
  'status',
  'identity',
  'set',
  'pulse',
  'stop',
  'output',
  'lock',
  'unlock',
  'log',
  'history',
  'proof',
  'click',
  'prove',
  'doctor',
  'web-status',
]);

/** What the database does while a fault lasts. */
export type StoreMode =
  | 'works'
  | 'slow'
  /** Another process holds the lock: writes wait, and are refused in the end. */
  | 'locked'
  /** No space: groups fail at their commit, reads work. */
  | 'full'
  /** The disk cannot be written: groups fail at their commit. */
  | 'group-fails'
  /** One statement of each group fails. */
  | 'member-fails'
  /** The disk does not answer: writes are refused in the end, and some are committed later all the same. */
  | 'hangs'
  /** The disk cannot say that it has the commit: the group is there, and its answer is a refusal. */
  | 'lost-answer'
  /** The writer thread commits, and its answers do not come. */
  | 'late-answers'
  /** The writer thread dies at each group, just before or just behind its commit. */
  | 'thread-dies'
  /** Reads fail. */
  | 'unreadable'
  /** Neither reads nor writes. */
  | 'down';

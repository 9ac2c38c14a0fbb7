/** Something the reader can mend; its message is the whole story, so no stack trace is shown. */
export class PrepareError extends Error {}

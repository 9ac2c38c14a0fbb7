/** What this machine lacks: all else can be measured. */
export class MissingProgram extends Error {}

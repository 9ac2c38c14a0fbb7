import { type Static, Type } from '../json-schema';

/** The electrical level of a line. */
export const Level = Type.Union([Type.Literal('high'), Type.Literal('low')]);
export type Level = Static<typeof Level>;

/** A stretch of true time. */
export interface Span {
  fromMs: number;
  untilMs: number;
}

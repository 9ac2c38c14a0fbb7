/** One line an event, plain text; never a secret in it. */
export interface Log {
  info(text: string): void;
  warn(text: string): void;
}

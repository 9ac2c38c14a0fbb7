/** One line an event, with fields; never a secret among them. The adapter is pino, wired in compose.ts. */
export interface Log {
  debug(fields: LogFields, event: string): void;
  info(fields: LogFields, event: string): void;
  warn(fields: LogFields, event: string): void;
  error(fields: LogFields, event: string): void;
}

export type LogFields = Record<string, unknown>;

/** One line for each event. The fields hold no secrets. */
export interface Log {
  debug(fields: LogFields, event: string): void;
  info(fields: LogFields, event: string): void;
  warn(fields: LogFields, event: string): void;
  error(fields: LogFields, event: string): void;
}

export type LogFields = Record<string, unknown>;

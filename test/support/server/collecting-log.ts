import type { Log, LogFields } from '@relaygate/server/log/log';

/** Collects what is logged. */
export function collectingLog(): Log & { lines: { level: string; event: string; fields: LogFields }[] } {
  const lines: { level: string; event: string; fields: LogFields }[] = [];
  const at = (level: string) => (fields: LogFields, event: string) => void lines.push({ level, event, fields });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** For what nobody reads. */
export const SILENT_LOG: Log = { debug() {}, info() {}, warn() {}, error() {} };

import { LOCK_MAX_MS, MAX_OUTPUTS, NumOutput, parserOf, type Static, Type } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { JsonFile, type JsonFormat } from '../../files/json-file';
import type { OutputLock } from '../../guard/protocol';
import { causeText } from '../../locales/en/causes';
import { type Fault, fault } from '../../runtime/fault';

/** A maintenance lock and who set it. */
export interface KeptLock extends OutputLock {
  by: string;
}

const LocksFile = Type.Object({
  bootId: Type.String(),
  locks: Type.Array(
    Type.Object({
      numOutput: NumOutput,
      untilMs: Type.Number(),
      /** When the file was written. */
      leftMs: Type.Number({ minimum: 0, maximum: LOCK_MAX_MS }),
      by: Type.String(),
    }),
    { maxItems: MAX_OUTPUTS },
  ),
  entrySeq: Type.Optional(Type.Integer({ minimum: 0 })),
});
type LocksFile = Static<typeof LocksFile>;
const FORMAT: JsonFormat<LocksFile> = { parse: parserOf(LocksFile), isOneLine: true };

export interface ReadLocks {
  locks: KeptLock[];
  /** The file must be written anew: it is another boot's, or corrupt. */
  mustSave: boolean;
  /**
   * The entry of the history for which the file was last changed; 0: none; null: the file does not say, as older agents'
   * files.
   */
  entrySeq: number | null;
  /** What was wrong with the file; null: nothing. */
  fault: Fault | null;
}

/**
 * The locks of `locks.json`, on this boot's clock. Nobody knows how long another boot lasted, so the time that was left
 * when the file was written begins anew: rather too long than too short. If the file cannot be read, nobody knows where a
 * technician works: all `outputCount` outputs are locked (I14) until somebody unlocks them.
 */
export async function readLocks(
  files: Files,
  path: string,
  bootId: string,
  nowMs: number,
  outputCount: number,
): Promise<ReadLocks> {
  const unknown = (what: string, found: Fault): ReadLocks => ({
    locks: Array.from({ length: outputCount }, (_, numOutput) => ({
      numOutput,
      untilMs: nowMs + LOCK_MAX_MS,
      by: `the agent, for ${path} ${what}`,
    })),
    mustSave: true,
    entrySeq: null,
    fault: found,
  });
  const { value: parsed, corruption } = await locksFile(files, path).load();
  if (corruption) {
    const { problem, kept } = corruption;
    return problem === null
      ? unknown('is corrupt', fault('locks-corrupt', { path, ...kept }))
      : unknown(`cannot be read: ${causeText(problem)}`, fault('locks-unreadable', { path, problem, ...kept }));
  }
  if (!parsed) return { locks: [], mustSave: false, entrySeq: 0, fault: null };
  const isThisBoot = parsed.bootId === bootId;
  const locks = parsed.locks.map(({ numOutput, untilMs, leftMs, by }) => ({
    numOutput,
    untilMs: isThisBoot ? Math.min(untilMs, nowMs + LOCK_MAX_MS) : nowMs + leftMs,
    by,
  }));
  return {
    locks: locks.filter(({ untilMs }) => untilMs > nowMs),
    mustSave: !isThisBoot && locks.length > 0,
    entrySeq: parsed.entrySeq ?? null,
    fault: null,
  };
}

export function locksFile(files: Files, path: string): JsonFile<LocksFile> {
  return new JsonFile(files, path, FORMAT);
}

export function contentOfLocks(
  { locks, entrySeq }: Pick<ReadLocks, 'entrySeq'> & { locks: readonly KeptLock[] },
  bootId: string,
  nowMs: number,
): LocksFile {
  return {
    bootId,
    locks: locks.map(({ numOutput, untilMs, by }) => ({
      numOutput,
      untilMs,
      leftMs: Math.min(LOCK_MAX_MS, Math.max(0, untilMs - nowMs)),
      by,
    })),
    ...(entrySeq === null ? {} : { entrySeq }),
  };
}

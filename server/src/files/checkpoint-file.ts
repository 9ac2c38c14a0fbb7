import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RelaygateError, type ServerSettings } from '@relaygate/shared';
import { type Checkpoint, checkpointText, parseCheckpoint } from '../audit/checkpoint';
import { codeOf, messageOf } from '../foreign-error';
import { writeDurably } from './durable-file';

/** Where the newest checkpoint of the audit is, if the settings name no other file. */
export function checkpointFile({
  dataDir,
  auditCheckpointFile,
}: Pick<ServerSettings, 'dataDir' | 'auditCheckpointFile'>): string {
  return auditCheckpointFile ?? join(dataDir, 'audit-checkpoint.json');
}

/** Undefined if there is none. Fails with `file-corrupt`. */
export function readCheckpoint(file: string): Checkpoint | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new RelaygateError('file-corrupt', `${file} cannot be read: ${messageOf(cause)}.`, { cause });
  }
  const checkpoint = parseCheckpoint(text);
  if (!checkpoint) throw new RelaygateError('file-corrupt', `${file} is no checkpoint of an audit, or it is damaged.`);
  return checkpoint;
}

/** A checkpoint holds no secret, and anybody may copy it and keep it elsewhere. */
export const CHECKPOINT_MODE = 0o644;

/** Durable, and whole or not at all. */
export function saveCheckpoint(file: string, checkpoint: Checkpoint): void {
  writeDurably(file, checkpointText(checkpoint), CHECKPOINT_MODE);
}

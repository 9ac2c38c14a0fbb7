import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { signCheckpoint } from '@relaygate/server/audit/checkpoint';
import { checkpointFile, saveCheckpoint } from '@relaygate/server/files/checkpoint-file';
import { operatorAccess } from '@relaygate/server/operator-access';
import { readSettings } from '@relaygate/server/settings';
import { folderForEach } from '../../../support/processes/fresh-folder';

const folder = folderForEach('rg-evidence-');

test('a checkpoint may be old if it was copied, or if its folder may be that of a node that has stopped', () => {
  const ofSqlite = readSettings({ RELAYGATE_DATA_DIR: folder });
  const ofPostgres = { ...ofSqlite, databaseUrl: 'postgresql://localhost/relaygate' };
  const copy = join(folder, 'copy.json');
  const checkpoint = signCheckpoint(createSecretKey(Buffer.alloc(32, 1)), 7, []);
  for (const file of [copy, checkpointFile(ofSqlite)]) saveCheckpoint(file, checkpoint);
  const mayBeOld = (settings: typeof ofSqlite, file?: string) => operatorAccess.auditEvidence(settings, file).mayBeOld;
  expect([mayBeOld(ofSqlite), mayBeOld(ofSqlite, copy), mayBeOld(ofPostgres)]).toEqual([false, true, true]);
});

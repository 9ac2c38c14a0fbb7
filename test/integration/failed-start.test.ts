import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { composeServer } from '@relaygate/server/compose';
import { readSettings } from '@relaygate/server/settings';
import { isServerRunning } from '@relaygate/server/storage/sqlite/data-folder-lock';
import { folderForEach } from '../support/processes/fresh-folder';

const dataDir = folderForEach('rg-failed-start-');

function compose(listen = '127.0.0.1:0'): ReturnType<typeof composeServer> {
  const env = { RELAYGATE_DATA_DIR: dataDir, RELAYGATE_LISTEN: listen, RELAYGATE_LOG_LEVEL: 'silent' };
  return composeServer(readSettings(env));
}

describe('a start that fails leaves the data folder unlocked', () => {
  test('where the database is none', async () => {
    writeFileSync(join(dataDir, 'relaygate.db'), 'no database'.repeat(100));
    await expect(compose()).rejects.toMatchObject({ code: 'database-unusable' });
    expect(isServerRunning(dataDir)).toBe(false);
  });

  test('where the secrets cannot be read', async () => {
    writeFileSync(join(dataDir, 'secrets.json'), 'no secrets');
    await expect(compose()).rejects.toMatchObject({ code: 'secrets-unusable' });
    expect(isServerRunning(dataDir)).toBe(false);
  });

  test('where the port is in use: the same process can start a server on the folder afterwards', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const failed = compose(`127.0.0.1:${port}`).finally(() => other.close());
    await expect(failed).rejects.toMatchObject({ code: 'port-in-use' });
    expect(isServerRunning(dataDir)).toBe(false);
    const server = await compose();
    expect(isServerRunning(dataDir)).toBe(true);
    await server.stop();
    expect(isServerRunning(dataDir)).toBe(false);
  });
});

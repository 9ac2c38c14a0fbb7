/** This machine, as relayctl doctor examines it. */
import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { accessSync, constants, readdirSync, readFileSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { release } from 'node:os';
import type { TLSSocket } from 'node:tls';
import type { LinkSettings } from '@relaygate/shared/device';
import { monotonicNowMs, systemWallClock } from '@relaygate/shared/system';
import type { Machine, ServerReading } from '../doctor/check-context';
import { orElse } from '../runtime/or-else';
import { codeOf } from '../runtime/problem';

const COMMAND_MS = 5_000;
const SERVER_MS = 6_000;
const COMMAND_MAX_BYTES = 4 * 1024 * 1024;
const NOT_THERE: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENODEV'];

export const host: Omit<Machine, 'gpioKernel' | 'openersOf' | 'sysfsLine' | 'holdAndKill'> = {
  kernelRelease: release(),

  textOf: (path) => orNull(() => readFileSync(path, 'utf8')),

  namesIn: (folder) => orNull(() => readdirSync(folder)) ?? [],

  rightsOf: (path) =>
    orNull(() => {
      const { mode, uid } = statSync(path);
      return { mode: mode & 0o777, uid };
    }),

  realPathOf: (path) => orNull(() => realpathSync(path)) ?? path,

  isUsable: (path) =>
    orElse(() => {
      accessSync(path, constants.W_OK);
      return true;
    }, false),

  spaceOf(folder) {
    const { bavail, bsize, ffree, files } = statfsSync(folder);
    // Some file systems do not count files.
    return { freeBytes: bavail * bsize, freeFiles: files === 0 ? Number.POSITIVE_INFINITY : ffree };
  },

  run: (command, args) =>
    new Promise((resolve) => {
      const options = { timeout: COMMAND_MS, maxBuffer: COMMAND_MAX_BYTES };
      execFile(command, args, options, (error, stdout) => resolve(error ? null : stdout));
    }),

  addressesOf: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),

  askServer,
};

/** One HEAD request to the root, over TLS by the authority that the link trusts. */
function askServer({ serverUrl, serverCaFile }: LinkSettings): Promise<ServerReading> {
  const url = new URL(serverUrl.replace(/^ws/, 'http'));
  const isTls = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const ca = serverCaFile === undefined ? {} : { ca: readFileSync(serverCaFile) };
    const options = { method: 'HEAD', timeout: SERVER_MS, ...ca };
    let sentMs = monotonicNowMs();
    let certificateEndsMs: number | null = null;
    const request = isTls ? tlsRequest(url, options) : plainRequest(url, options);
    request.once('socket', (socket) => {
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        sentMs = monotonicNowMs();
        if (isTls) certificateEndsMs = endOf(socket as TLSSocket);
      });
    });
    request.once('response', (response) => {
      const roundTripMs = monotonicNowMs() - sentMs;
      const serverEpochMs = Date.parse(response.headers.date ?? '');
      resolve({
        roundTripMs,
        certificateEndsMs,
        serverEpochMs: Number.isNaN(serverEpochMs) ? null : serverEpochMs,
        ownEpochMs: systemWallClock.epochMs() - roundTripMs / 2,
      });
      response.destroy();
    });
    request.once('timeout', () => request.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    request.once('error', reject);
    request.end();
  });
}

function endOf(socket: TLSSocket): number | null {
  const endMs = Date.parse(socket.getPeerCertificate().valid_to);
  return Number.isNaN(endMs) ? null : endMs;
}

function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (NOT_THERE.includes(codeOf(error))) return null;
    throw error;
  }
}

import { readFileSync } from 'node:fs';
import { RelaygateError, type ServerSettings } from '@relaygate/shared';

/** Certificate and key, PEM; undefined without TLS. Fails with `bad-setting`. */
export function readTls({ tlsCert, tlsKey }: ServerSettings): { cert: Buffer; key: Buffer } | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { cert: readPem(tlsCert, 'RELAYGATE_TLS_CERT'), key: readPem(tlsKey, 'RELAYGATE_TLS_KEY') };
}

/** Fails with `bad-setting`, which names the setting. */
export function readPem(file: string, setting: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new RelaygateError('bad-setting', `${setting} names ${file}, which cannot be read; it may be a PEM file.`, {
      cause,
    });
  }
}

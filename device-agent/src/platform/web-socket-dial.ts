import { readFileSync } from 'node:fs';
import {
  HANDSHAKE_MS,
  LINK_MAX_FRAME_BYTES,
  LINK_MAX_QUEUED_BYTES,
  LINK_PATH,
  LINK_SUBPROTOCOL,
  RelaygateError,
} from '@relaygate/shared';
import { type LinkSettings, serverUrlProblem } from '@relaygate/shared/device';
import WebSocket from 'ws';
import { type LinkProblem, linkProblemOf } from '../agent/link/link-problem';
import type { DialLink } from '../agent/link/link-socket';
import { printable } from '../runtime/printable';
import { problemOf } from '../runtime/problem';

const MAX_FRAGMENTS = 16;

/** The link over ws. Fails at once if the settings cannot work: unsafe address, unreadable CA file. */
export function webSocketDial({ serverUrl, serverCaFile }: LinkSettings): DialLink {
  const url = linkUrl(serverUrl);
  const ca = serverCaFile === undefined ? undefined : readCa(serverCaFile);
  return (events) => {
    const socket = new WebSocket(url, [LINK_SUBPROTOCOL], {
      perMessageDeflate: false,
      maxPayload: LINK_MAX_FRAME_BYTES,
      maxFragments: MAX_FRAGMENTS,
      handshakeTimeout: HANDSHAKE_MS,
      followRedirects: false,
      ...(ca === undefined ? {} : { ca }),
    });
    let problem: LinkProblem | null = null;
    socket.on('open', events.opened);
    socket.on('message', (data, isBinary) => {
      // The link speaks text only; binary frames are of a kind this agent does not know.
      if (!isBinary) events.text(data.toString());
    });
    socket.on('error', (error) => {
      problem = linkProblemOf(error);
    });
    socket.on('close', (code, reason) => {
      const isWord = problem === null && code !== NO_CLOSE_FRAME;
      const words = reason.length > 0 ? `, ${printable(reason.toString())}` : '';
      events.closed(
        isWord ? code : null,
        problem ?? (isWord ? `closed by the server (${code}${words})` : { cause: 'broken', details: '' }),
      );
    });
    return {
      send(text) {
        if (socket.readyState !== WebSocket.OPEN) return;
        socket.send(text);
        if (socket.bufferedAmount > LINK_MAX_QUEUED_BYTES) socket.terminate();
      },
      terminate: () => socket.terminate(),
    };
  };
}

/** RFC 6455 section 7.1.5: the connection ended without a close frame. */
const NO_CLOSE_FRAME = 1006;

function linkUrl(serverUrl: string): string {
  const problem = serverUrlProblem(serverUrl);
  if (problem !== null) throw new RelaygateError('bad-setting', `settings.json: link.serverUrl ${problem}.`);
  const { protocol, host } = new URL(serverUrl);
  return `${protocol}//${host}${LINK_PATH}`;
}

function readCa(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new RelaygateError('bad-setting', `settings.json: link.serverCaFile cannot be read: ${problemOf(error)}.`, {
      cause: error,
    });
  }
}

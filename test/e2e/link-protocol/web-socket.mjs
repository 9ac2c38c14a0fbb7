// The little of RFC 6455 that a device needs, by hand over a TCP socket. A real device speaks TLS.
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const OPCODE = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 };
const FIN = 0x80;
const MASKED = 0x80;
const MAX_MESSAGE_BYTES = 16_384;

/**
 * `url`: ws://HOST:PORT/PATH. `events.closed` comes exactly once, with the close code or null. Gives `send` for text and
 * `cut`, which ends the connection at once.
 */
export function openWebSocket(url, subprotocol, events) {
  const { hostname, port, pathname, host } = new URL(url);
  const key = randomBytes(16).toString('base64');
  let received = Buffer.alloc(0);
  let isOpen = false;
  let message = [];
  let closeCode = null;

  const begin = () =>
    socket.write(
      [
        `GET ${pathname} HTTP/1.1`,
        `Host: ${host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${key}`,
        `Sec-WebSocket-Protocol: ${subprotocol}`,
        '\r\n',
      ].join('\r\n'),
    );
  const socket = connect({ host: hostname, port: Number(port) }, begin);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('close', () => events.closed(closeCode));
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (!isOpen) readAnswer();
    while (isOpen && readFrame());
  });

  function readAnswer() {
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const [status = '', ...lines] = received.subarray(0, end).toString().split('\r\n');
    received = received.subarray(end + 4);
    const headers = new Map(
      lines.map((line) => [line.split(':')[0].toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const accept = createHash('sha1')
      .update(key + GUID)
      .digest('base64');
    isOpen =
      / 101 /.test(status) &&
      headers.get('sec-websocket-accept') === accept &&
      headers.get('sec-websocket-protocol') === subprotocol;
    if (isOpen) events.opened();
    else socket.destroy();
  }

  /** False when the frame is not there as a whole. */
  function readFrame() {
    if (received.length < 2) return false;
    const short = received[1] & 0x7f;
    const header = short === 126 ? 4 : 2;
    if (received.length < header) return false;
    const length = short === 126 ? received.readUInt16BE(2) : short;
    if (short === 127 || length > MAX_MESSAGE_BYTES) {
      socket.destroy();
      return false;
    }
    if (received.length < header + length) return false;
    const [first] = received;
    const payload = received.subarray(header, header + length);
    received = received.subarray(header + length);
    take(first & 0x0f, (first & FIN) !== 0, payload);
    return true;
  }

  function take(opcode, isLast, payload) {
    if (opcode === OPCODE.ping) return write(OPCODE.pong, payload);
    if (opcode === OPCODE.close) {
      closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : null;
      write(OPCODE.close, payload.subarray(0, 2));
      socket.end();
      return;
    }
    if (opcode !== OPCODE.text && opcode !== OPCODE.continuation) return;
    message.push(payload);
    if (!isLast) return;
    const text = Buffer.concat(message).toString();
    message = [];
    events.text(text);
  }

  /** What a client sends is masked (section 5.3). */
  function write(opcode, payload) {
    if (!socket.writable) return;
    const mask = randomBytes(4);
    const length = payload.length < 126 ? Buffer.from([MASKED | payload.length]) : Buffer.alloc(3, MASKED | 126);
    if (payload.length >= 126) length.writeUInt16BE(payload.length, 1);
    const masked = payload.map((byte, n) => byte ^ mask[n % 4]);
    socket.write(Buffer.concat([Buffer.from([FIN | opcode]), length, mask, masked]));
  }

  return {
    send: (text) => write(OPCODE.text, Buffer.from(text)),
    cut: () => socket.destroy(),
  };
}

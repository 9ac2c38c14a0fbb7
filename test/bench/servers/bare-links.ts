/** What node:http and ws alone need for a link: sockets that are taken and kept. */
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { announce } from './echo-devices';

const server = createServer();
const wss = new WebSocketServer({ server, perMessageDeflate: false });
wss.on('connection', (socket) => socket.on('message', () => {}));
announce(server);

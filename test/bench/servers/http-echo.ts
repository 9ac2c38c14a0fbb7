/** The same without Express: what node:http and ws alone cost. */
import { createServer } from 'node:http';
import { announce, EchoDevices } from './echo-devices';

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    const { productLogin, numOutput, state } = JSON.parse(text);
    devices.send(productLogin, { numOutput, state }, () => void response.end('OK'));
  });
});
const devices = new EchoDevices(server);
announce(server);

/** The least that an Express server can do for a command: JSON in, a frame to the device and back, 200. */
import { createServer } from 'node:http';
import express from 'express';
import { announce, EchoDevices } from './echo-devices';

const app = express();
const server = createServer(app);
const devices = new EchoDevices(server);
app.use(express.json());
app.post('/set', (request, response) => {
  const { productLogin, numOutput, state } = request.body;
  devices.send(productLogin, { numOutput, state }, () => void response.status(200).send('OK'));
});
announce(server);

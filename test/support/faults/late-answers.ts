/** Preloaded into a server, a deliberate fault: a 504 leaves 400 ms after it was to. */
import { ServerResponse } from 'node:http';

const LATE_MS = 400;

const end = ServerResponse.prototype.end;
ServerResponse.prototype.end = function (this: ServerResponse, ...args: unknown[]) {
  const send = (): void => void Reflect.apply(end, this, args);
  if (this.statusCode === 504) setTimeout(send, LATE_MS);
  else send();
  return this;
} as typeof end;

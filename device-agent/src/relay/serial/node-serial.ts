import { RelaygateError } from '@relaygate/shared';
import { problemOf } from '../../program/problem';
import type { OpenSerial } from './serial-port';

/**
 * The machine's own serial ports. serialport is loaded here and not before. Throws `board-unusable` when it cannot be
 * loaded: its binary is part of the package.
 */
export function nodeSerial(): OpenSerial {
  const SerialPort = loadSerialPort();
  return ({ path, baud, parity }, listener) =>
    new Promise((resolve, reject) => {
      let isOver = false;
      const end = (problem: string): void => {
        if (isOver) return;
        isOver = true;
        listener.gone(problem);
      };
      // For this process alone: opening locks it.
      const port = new SerialPort({ path, baudRate: baud, parity, dataBits: 8, stopBits: 1, autoOpen: false });
      port.on('data', (bytes: Buffer) => {
        if (!isOver) listener.bytes(bytes);
      });
      port.on('error', (error) => end(problemOf(error)));
      port.on('close', (error: unknown) => end(error ? problemOf(error) : 'it was closed'));
      port.open((refusal) => {
        if (refusal) {
          isOver = true;
          return reject(new Error(reasonOf(problemOf(refusal)), { cause: refusal }));
        }
        resolve({
          write: (bytes) =>
            new Promise((written, failed) => {
              // Not to serialport: it would wait for a port that is opened again, and this one is not.
              if (isOver || !port.isOpen) return failed(new Error('the port is closed'));
              port.write(Buffer.from(bytes), (error) => (error ? failed(error) : written()));
            }),
          close: () =>
            new Promise((closed) => {
              isOver = true;
              if (!port.isOpen) return closed();
              // The kernel holds a closing port back for up to 30 s while it still has bytes to send.
              port.flush(() => port.close(() => closed()));
            }),
        });
      });
    });
}

/** serialport gives the system's words, and no code. */
function reasonOf(problem: string): string {
  if (/no such (file|device)/i.test(problem)) return 'it is not there';
  if (/cannot lock|busy/i.test(problem)) return 'another program has it open';
  if (/permission denied/i.test(problem)) return 'it is not for this user: let the guard run in the group dialout';
  return problem;
}

function loadSerialPort(): typeof import('serialport').SerialPort {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
    return require('serialport').SerialPort;
  } catch (error) {
    throw new RelaygateError(
      'board-unusable',
      `Serial boards need the package serialport, which does not load (${problemOf(error)}): run "npm rebuild".`,
      { cause: error },
    );
  }
}

import { levelsOf, type Request, readInputs } from './modbus-frames';
import type { ProtocolInputs } from './serial-board';
import type { SerialTalk } from './serial-talk';

interface WithInputs {
  address: number;
  inputs?: number;
}

interface Asking<Unit> {
  ask(talk: SerialTalk, unit: Unit, request: Request): Promise<Uint8Array>;
  longestMs(request: Request): number;
}

/** Discrete inputs of Modbus boards: one question reads all of a board. */
export function modbusInputs<Unit extends WithInputs>(units: readonly Unit[], asking: Asking<Unit>): ProtocolInputs {
  const boards = units.flatMap((unit) => {
    const { address, inputs = 0 } = unit;
    return inputs > 0 ? [{ unit, count: inputs, request: readInputs(address, inputs) }] : [];
  });
  const boardAt = (n: number) => {
    const board = boards[n];
    if (board === undefined) throw new RangeError(`the bus has no board ${n} with inputs`);
    return board;
  };
  return {
    counts: boards.map(({ count }) => count),
    async read(talk, n) {
      const { unit, count, request } = boardAt(n);
      return levelsOf(await asking.ask(talk, unit, request), count);
    },
    longestMs: (n) => asking.longestMs(boardAt(n).request),
  };
}

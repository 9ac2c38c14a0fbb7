import type { OutputState } from '@relaygate/shared';
import type { Connection } from '../ports/connection';

/** One link as its sockets saw it, in true time. */
export interface LinkRecord {
  readonly machine: string;
  readonly productLogin: string;
  /** That the device has named itself by, and when; null: it has not. */
  hello: { publicKey: string; atMs: number } | null;
  /** Of its welcome; null: the server has sent none. */
  epoch: number | null;
  welcomedMs: number | null;
  /** When the server had its resume report; null: never. */
  upMs: number | null;
  /** When the server knew of its end; null: it has not ended. */
  endedMs: number | null;
  /** When the device had sent its resume report: from then on its link is up; null: never. */
  resumedMs: number | null;
  /** When the device knew of its end, or died; null: it has not ended. */
  leftMs: number | null;
  /** Of the server's close frame. */
  closeCode: number | null;
  /** Frames that the server has read. */
  readonly heard: HeardFrame[];
  /** What its frames said of commands, also after its end. */
  readonly said: { readonly atMs: number; readonly commandIds: readonly string[] }[];
  /** When the device read the answers to its questions for the time. */
  readonly timesMs: number[];
}

export interface HeardFrame extends FrameReport {
  readonly atMs: number;
}

/** What a report or a result says of outputs. */
interface FrameReport {
  readonly states: ReadonlyMap<number, OutputState | null>;
  /** Of a result. */
  readonly commandId: string | null;
  /** null: nothing of them. */
  readonly inputs: ReadonlyMap<number, string | null> | null;
}

const NOTHING: FrameReport = { states: new Map(), commandId: null, inputs: null };

/** Writes down what becomes of a connection that the server takes. */
export function recordLink(
  connection: Connection,
  of: { machine: string; productLogin: string },
  nowMs: () => number,
): LinkRecord {
  const link: LinkRecord = {
    ...of,
    hello: null,
    epoch: null,
    welcomedMs: null,
    upMs: null,
    endedMs: null,
    resumedMs: null,
    leftMs: null,
    closeCode: null,
    heard: [],
    said: [],
    timesMs: [],
  };
  connection.server.owner.onDeath(() => {
    link.endedMs ??= nowMs();
  });
  connection.dialler.owner.onDeath(() => {
    link.leftMs ??= nowMs();
  });
  return link;
}

/** The commands of which a frame of the device says what became of them. */
export function commandsIn(text: string): readonly string[] {
  if (text.startsWith('{"type":"result"')) return [JSON.parse(text).commandId];
  if (!text.startsWith('{"type":"resume"')) return [];
  const { outcomes }: { outcomes: { commandId: string }[] } = JSON.parse(text);
  return outcomes.map(({ commandId }) => commandId);
}

export function reportIn(text: string): FrameReport {
  if (text.startsWith('{"type":"report"')) {
    const { outputs }: { outputs: { numOutput: number; state: OutputState | null }[] } = JSON.parse(text);
    const states = new Map(outputs.map(({ numOutput, state }) => [numOutput, state]));
    return { states, commandId: null, inputs: inputsIn(text) };
  }
  if (!text.startsWith('{"type":"result"')) return NOTHING;
  const result: { commandId: string; numOutput?: number; state?: OutputState } = JSON.parse(text);
  const { commandId, numOutput, state } = result;
  return numOutput === undefined || state === undefined
    ? NOTHING
    : { states: new Map([[numOutput, state]]), commandId, inputs: null };
}

/** What a report says of inputs that mean something; null: nothing. */
export function inputsIn(text: string): ReadonlyMap<number, string | null> | null {
  if (!text.startsWith('{"type":"report"') || !text.includes('"numInput"')) return null;
  const { inputs }: { inputs: { numInput: number; state: string | null }[] } = JSON.parse(text);
  return new Map(inputs.map(({ numInput, state }) => [numInput, state]));
}

import type { TSchema } from '@relaygate/shared';
import { AlreadySetBody } from '@relaygate/shared';
import type { Response } from 'express';
import type { CommandAnswer } from '../commands/order';
import { sendCommandAnswer, sendEmpty, sendJson, sendOk } from './answers';

/** A successful answer, as the OpenAPI document shows it: plain text, JSON by a schema of `shared`, or no body. */
export type Success =
  | { status: 200 | 201; text: 'OK'; description: string }
  | { status: 200; json: TSchema; description: string; example: object }
  | { status: 204; description: string };

/** How a handler's result becomes an answer, and how the OpenAPI document shows it. */
export interface AnswerForm<T> {
  success: readonly Success[];
  /** True: the answer has a Command-Id. */
  command: boolean;
  send(response: Response, value: T): void;
}

/** Success answers with the text `OK`. */
export function ok(description: string, status: 200 | 201 = 200): AnswerForm<void> {
  const success = [{ status, text: 'OK', description }] as const;
  return { success, command: false, send: (response) => sendOk(response, status) };
}

/** Success answers 200 with JSON of this schema. */
export function json<T extends object>(schema: TSchema<T>, description: string, example: object): AnswerForm<T> {
  const success = [{ status: 200, json: schema, description, example }] as const;
  return { success, command: false, send: sendJson };
}

/** Success answers 204 without a body. */
export function noContent(description: string): AnswerForm<void> {
  return { success: [{ status: 204, description }], command: false, send: sendEmpty };
}

const PERFORMED: Success = {
  status: 200,
  text: 'OK',
  description: 'The device confirmed: executed, an impulse at its beginning.',
};
const ALREADY_SET: Success = {
  status: 200,
  json: AlreadySetBody,
  description: 'The on-off output was in the desired state; nothing moved.',
  example: { already_set: true },
};

export const SET_ANSWER: AnswerForm<CommandAnswer> = {
  success: [PERFORMED, ALREADY_SET],
  command: true,
  send: sendCommandAnswer,
};
/** A toggle always moves the output. */
export const TOGGLE_ANSWER: AnswerForm<CommandAnswer> = { ...SET_ANSWER, success: [PERFORMED] };

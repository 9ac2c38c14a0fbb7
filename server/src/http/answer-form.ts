import type { TSchema } from '@relaygate/shared';
import { AlreadySetBody, AlreadySetCommandBody, OkBody, PerformedBody } from '@relaygate/shared';
import type { Response } from 'express';
import type { CommandAnswer } from '../commands/order';
import type { Next } from './answers';
import { asksForJson, sendCommandAnswer, sendEmpty, sendJson, sendOk, sendPage } from './answers';
import { COMMAND } from './openapi/examples';

/** A successful answer, as the OpenAPI document shows it: plain text, JSON by a schema of `shared`, or no body. */
export type Success =
  | { status: 200 | 201; text: 'OK'; description: string }
  | { status: 200 | 201; json: TSchema; description: string; example: object; isPage?: true }
  | { status: 204; description: string };

/** How a handler's result becomes an answer, and how the OpenAPI document shows it. */
export interface AnswerForm<T> {
  success: readonly Success[];
  /** True: the answer has a Command-Id. */
  command: boolean;
  send(response: Response, value: T): void;
}

/** Success answers 200 with the text `OK`. */
export function ok(description: string): AnswerForm<void> {
  return { success: [{ status: 200, text: 'OK', description }], command: false, send: (response) => sendOk(response) };
}

/** Success answers 201, with `OK` as text or JSON. */
export function created(description: string): AnswerForm<void> {
  const json = { status: 'OK' };
  return {
    success: [
      { status: 201, text: 'OK', description },
      { status: 201, json: OkBody, description: AS_JSON, example: json },
    ],
    command: false,
    send(response) {
      if (asksForJson(response)) sendJson(response, json, 201);
      else sendOk(response, 201);
    },
  };
}

/** Success answers 200 with JSON of this schema. */
export function json<T extends object>(schema: TSchema<T>, description: string, example: object): AnswerForm<T> {
  const success = [{ status: 200, json: schema, description, example }] as const;
  return { success, command: false, send: sendJson };
}

/** The same of one page of a list, with a Link to the next one. */
export function page<T extends Next>(schema: TSchema<T>, description: string, example: object): AnswerForm<T> {
  const success = [{ status: 200, json: schema, description, example, isPage: true }] as const;
  return { success, command: false, send: sendPage };
}

/** Success answers 204 without a body. */
export function noContent(description: string): AnswerForm<void> {
  return { success: [{ status: 204, description }], command: false, send: sendEmpty };
}

const CONFIRMED = 'The device confirmed: executed, an impulse at its beginning.';
const NOTHING_MOVED = 'Or the on-off output was in the desired state, and nothing moved.';
const AS_JSON = '`OK` comes as JSON if Accept prefers that.';
const PERFORMED: Success = { status: 200, text: 'OK', description: CONFIRMED };
const PERFORMED_AS_JSON: Success = {
  status: 200,
  json: PerformedBody,
  description: AS_JSON,
  example: { status: 'OK', commandId: COMMAND.commandId },
};

export const LEGACY_TOGGLE_ANSWER: AnswerForm<CommandAnswer> = {
  success: [PERFORMED],
  command: true,
  send: sendCommandAnswer,
};
export const LEGACY_SET_ANSWER: AnswerForm<CommandAnswer> = {
  ...LEGACY_TOGGLE_ANSWER,
  success: [
    PERFORMED,
    { status: 200, json: AlreadySetBody, description: NOTHING_MOVED, example: { already_set: true } },
  ],
};
/** A toggle always moves the output. */
export const TOGGLE_ANSWER: AnswerForm<CommandAnswer> = {
  success: [PERFORMED, PERFORMED_AS_JSON],
  command: true,
  send: (response, answer) => sendCommandAnswer(response, answer, asksForJson(response)),
};
export const SET_ANSWER: AnswerForm<CommandAnswer> = {
  ...TOGGLE_ANSWER,
  success: [
    PERFORMED,
    {
      status: 200,
      json: AlreadySetCommandBody,
      description: NOTHING_MOVED,
      example: { already_set: true, commandId: COMMAND.commandId },
    },
    PERFORMED_AS_JSON,
  ],
};

import { ERRORS, type ErrorCode } from '@relaygate/shared';
import { CODES, ERROR_CODES, listOf } from './explanations';
import type { Json } from './schemas';

/** `ErrorCode`, `ErrorBody`, and one schema for each code, so that generated code knows which codes an answer can have. */
export function errorSchemas(): Json {
  return {
    ErrorCode: {
      type: 'string',
      enum: ERROR_CODES,
      description: `What went wrong. Branch on this, never on a text.\n\n${listOf(CODES)}`,
      'x-enum-descriptions': ERROR_CODES.map((code) => CODES[code]),
    },
    ErrorBody: {
      type: 'object',
      required: ['error'],
      properties: { error: { $ref: '#/components/schemas/ErrorCode' } },
    },
    ...Object.fromEntries(ERROR_CODES.map((code) => [nameOf(code), errorSchema(code)])),
  };
}

function errorSchema(code: ErrorCode): Json {
  return {
    description: ERRORS[code].meaning,
    allOf: [
      { $ref: '#/components/schemas/ErrorBody' },
      { type: 'object', required: ['error'], properties: { error: { type: 'string', const: code } } },
    ],
  };
}

/** The body of an answer with one of these codes, with an example for each. */
export function errorContent(codes: readonly ErrorCode[]): Json {
  const refs = codes.map((code) => ({ $ref: `#/components/schemas/${nameOf(code)}` }));
  return {
    'application/json': {
      schema: refs.length === 1 ? refs[0] : { oneOf: refs },
      examples: Object.fromEntries(codes.map((code) => [code, { value: { error: code } }])),
    },
  };
}

/** `BadTokenError` for `bad-token`. */
function nameOf(code: ErrorCode): string {
  const words = code.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Error`;
}

import {
  CommandList,
  type CommandStatus,
  CURSOR_MAX_CHARS,
  DEFAULT_PAGE_ITEMS,
  MAX_PAGE_ITEMS,
  ProductList,
  RelaygateError,
  type Static,
  Type,
} from '@relaygate/shared';
import type { CommandListQuery } from '../commands/command-list';
import type { RateLimit } from '../limits/budgets';
import type { Page } from '../lists/page';
import { page } from './answer-form';
import { COMMAND, CURSOR, LISTED_PRODUCT } from './openapi/examples';
import { type Call, NO_BODY, type Operation, operation } from './operation';
import { COMMAND_LIST_ERRORS, LIST_ERRORS } from './operation-errors';
import { query } from './query';
import { UTC_TIME_PATTERN, utcTimeMs } from './utc-time';

const PAGE = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_ITEMS,
      default: DEFAULT_PAGE_ITEMS,
      description: 'The most that a page may have. It may have less, also none, and yet name a next page.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: CURSOR_MAX_CHARS,
      description: '`next` of the page before, with the same other parameters. Absent: the first page.',
    }),
  ),
};
const PRODUCTS_QUERY = query(
  Type.Object(
    {
      connected: Type.Optional(Type.Boolean({ description: 'Only products whose link is up, or is not.' })),
      activated: Type.Optional(Type.Boolean({ description: 'Only products that are activated, or are not.' })),
      ...PAGE,
    },
    { additionalProperties: false },
  ),
  { connected: true, activated: true, limit: 20, cursor: CURSOR },
);
const COMMANDS_QUERY = query(
  Type.Object(
    {
      since: Type.Optional(
        Type.String({
          pattern: UTC_TIME_PATTERN,
          description:
            'Only commands that were accepted at this time (`acceptedAt`) or later: ISO 8601, UTC, such as 2026-01-01T12:00:00.000Z. Who asks again and again for what is new should let the times overlap by 10 s, because a command is listed once it is recorded.',
        }),
      ),
      ...PAGE,
    },
    { additionalProperties: false },
  ),
  { since: COMMAND.acceptedAt, limit: 20, cursor: CURSOR },
);
const COMMANDS_ANSWER = page(CommandList, 'Commands, newest first, each with its outcome so far.', {
  commands: [COMMAND],
  next: CURSOR,
});

/** What a client may list of its own, a page at a time. */
export const LIST_OPERATIONS: readonly Operation[] = [
  operation({
    operationId: 'listProducts',
    method: 'get',
    path: '/api/v1/products',
    summary: 'List the products of this client',
    description:
      'Those that it is associated with, in the order of their logins, with their presence as in the state. Ask for the state to see outputs.',
    tag: 'products',
    body: NO_BODY,
    query: PRODUCTS_QUERY,
    answer: page(ProductList, 'Products, with their presence.', { products: [LISTED_PRODUCT], next: CURSOR }),
    limits: listLimits,
    errors: LIST_ERRORS,
    async handle({ actions, clientId }, _body, asked) {
      const { items: products, ...more } = await actions.products(clientId(), asked);
      return { products, ...more };
    },
  }),
  operation({
    operationId: 'listProductCommands',
    method: 'get',
    path: '/api/v1/products/{productLogin}/commands',
    summary: 'List the commands of this client to a product',
    description: 'The newest first, each as `getCommand` shows it, for 90 days or as the operator has set.',
    tag: 'outputs',
    body: NO_BODY,
    query: COMMANDS_QUERY,
    answer: COMMANDS_ANSWER,
    limits: listLimits,
    errors: COMMAND_LIST_ERRORS,
    handle: ({ actions, clientId, param }, _body, asked) =>
      commandsOf(asked, (query) => actions.productCommands(clientId(), param('productLogin'), query)),
  }),
  operation({
    operationId: 'listCommands',
    method: 'get',
    path: '/api/v1/commands',
    summary: 'List the commands of this client',
    description:
      'The newest first, each as `getCommand` shows it, for 90 days or as the operator has set. Only those to products that it is still associated with.',
    tag: 'outputs',
    body: NO_BODY,
    query: COMMANDS_QUERY,
    answer: COMMANDS_ANSWER,
    limits: listLimits,
    errors: LIST_ERRORS,
    handle: ({ actions, clientId }, _body, asked) => commandsOf(asked, (query) => actions.commands(clientId(), query)),
  }),
];

function listLimits({ actions, clientId }: Call): RateLimit[] {
  return actions.listLimits(clientId());
}

async function commandsOf(
  { since, ...asked }: ReturnType<typeof COMMANDS_QUERY.parse>,
  list: (query: CommandListQuery) => Promise<Page<CommandStatus>>,
): Promise<Static<typeof CommandList>> {
  const { items: commands, ...more } = await list({ ...asked, sinceMs: timeOf(since) });
  return { commands, ...more };
}

/** In ms of wall time. Fails with `invalid-params`. */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const epochMs = utcTimeMs(text);
  if (epochMs === undefined) throw new RelaygateError('invalid-params', 'the query: since is no time');
  return epochMs;
}

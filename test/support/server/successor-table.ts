import type { Operation } from '@relaygate/server/http/operation';
import { OPERATIONS } from '@relaygate/server/http/operations';
import { withParts } from '../chance/generated-parts';

/** server/API.md with its table of successors as it should be. */
export function withSuccessors(document: string): string {
  return withParts(document, { successors: successorTable });
}

/** A line for each legacy operation: its successor, and what differs. */
function successorTable(): string {
  const rows = OPERATIONS.filter(({ successor }) => successor !== undefined).map((legacy) => {
    const v1 = successorOf(legacy);
    return `| ${named(legacy)} | ${named(v1)} | ${differences(legacy, v1).join('; ')} |`;
  });
  return ['| legacy | v1 | what changes for you |', '|---|---|---|', ...rows].join('\n');
}

/** Where a path takes several methods, the one whose id the legacy operation has behind `legacy`. */
function successorOf(legacy: Operation): Operation {
  const there = OPERATIONS.filter(({ path }) => path === legacy.successor);
  const found = there.length === 1 ? there[0] : there.find(({ operationId }) => isNamedAfter(legacy, operationId));
  if (!found) throw new Error(`${legacy.operationId} has no successor, or several`);
  return found;
}

const isNamedAfter = (legacy: Operation, id: string): boolean =>
  legacy.operationId.toLowerCase() === `legacy${id}`.toLowerCase();
const named = ({ method, path }: Operation): string => `\`${method.toUpperCase()} ${path.replace(/^\/api/, '')}\``;
const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

function differences(legacy: Operation, v1: Operation): string[] {
  const [before, now] = [membersOf(legacy.body?.schema), membersOf(v1.body?.schema)];
  const inPath = before.filter((name) => v1.path.includes(`{${name}}`));
  const gone = before.filter((name) => !now.includes(name) && !inPath.includes(name));
  const added = answerOf(v1).filter((name) => !answerOf(legacy).includes(name));
  const [was, is] = [legacy, v1].map(({ success }) => success[0]?.status);
  return [
    ...(inPath.length > 0
      ? [`${listed(inPath)} in the path`, now.length > 0 ? `body: ${listed(now)}` : 'no body']
      : []),
    ...(gone.length > 0 ? [`leave ${listed(gone)} out`] : []),
    ...(is === was ? [] : [`${is} instead of ${was}`]),
    ...(added.length > 0 ? [`the answer also has ${listed(added)}`] : []),
  ];
}

/** Members of an answer that is always JSON. */
function answerOf({ success }: Operation): string[] {
  const [answer] = success;
  return answer && 'json' in answer ? membersOf(answer.json) : [];
}

function membersOf(schema: unknown): string[] {
  const properties = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'properties') : undefined;
  return Object.keys(properties ?? {});
}

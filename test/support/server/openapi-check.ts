import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { ROOT } from '../processes/program';
import type { Answer } from './answer';

interface ResponseObject {
  headers: Record<string, { $ref: string }>;
  content?: Record<string, { schema: object }>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject | { $ref: string }> }>>;
  components: {
    schemas: Record<string, object>;
    headers: Record<string, { schema: object }>;
    responses: Record<string, ResponseObject>;
  };
}

const document: Document = JSON.parse(readFileSync(join(ROOT, 'server/openapi.json'), 'utf8'));
const ajv = new Ajv2020({ strict: false });
ajv.addSchema({ $id: 'openapi', components: document.components });
const validators = new Map<object, ValidateFunction>();

/**
 * Holds one answer of the HTTP API to server/openapi.json: its status is one that the operation has, its headers are
 * there and of their form, its body fits. Throws what is wrong. What is no operation must say so: 404 or 405.
 */
export function checkAgainstOpenApi(method: string, url: string, answer: Answer): void {
  const { pathname } = new URL(url);
  const path = Object.keys(document.paths).find((template) => matches(template, pathname));
  const operation = path === undefined ? undefined : document.paths[path]?.[method.toLowerCase()];
  const said = `${method} ${pathname} answered ${answer.status} ${answer.text.slice(0, 200)}`;
  if (path === undefined) {
    if (['/openapi.json', '/api', '/'].includes(pathname)) return;
    if (answer.status !== 404) throw new Error(`${said}, but is no operation: 404 is due`);
    return checkBody({ headers: {}, content: { 'application/json': { schema: NOT_FOUND } } }, answer, said);
  }
  if (!operation && answer.status !== 405) throw new Error(`${said}, but is no operation: 405 is due`);
  const [anyOfPath] = Object.values(document.paths[path] ?? {});
  const given = (operation ?? anyOfPath)?.responses[answer.status];
  const response = given && '$ref' in given ? document.components.responses[last(given.$ref)] : given;
  if (!response) throw new Error(`${said}, which the OpenAPI document does not know`);
  for (const [name, { $ref }] of Object.entries(response.headers)) {
    // A 504 has no id if no node could take the command; only an answer that is given again says so; the last page names no next one.
    const mayLack =
      name === 'Idempotent-Replayed' || last($ref) === 'NextPage' || (name === 'Command-Id' && answer.status === 504);
    if (mayLack && !answer.headers.has(name)) continue;
    const header = document.components.headers[last($ref)];
    check(header?.schema ?? {}, answer.headers.get(name), `${said}, header ${name}`);
  }
  checkBody(response, answer, said);
}

const NOT_FOUND = { type: 'object', properties: { error: { const: 'not-found' } }, required: ['error'] };
const last = (ref: string): string => ref.split('/').at(-1) ?? '';

function checkBody(response: ResponseObject, answer: Answer, said: string): void {
  if (!response.content) {
    if (answer.text !== '') throw new Error(`${said}, but has no body by the OpenAPI document`);
    return;
  }
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const media = response.content[type];
  if (!media) throw new Error(`${said} as ${type}, which the OpenAPI document does not know`);
  check(media.schema, type === 'application/json' ? answer.json : answer.text, said);
}

function check(schema: object, value: unknown, said: string): void {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')));
    validators.set(schema, validate);
  }
  if (!validate(value)) throw new Error(`${said}: ${ajv.errorsText(validate.errors)}`);
}

function matches(template: string, pathname: string): boolean {
  const pattern = template.replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(pathname);
}

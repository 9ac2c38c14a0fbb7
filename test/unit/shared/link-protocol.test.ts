import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { CLOSE, type Frame, readDeviceFrame, readServerFrame } from '@relaygate/shared';
import { Ajv2020 } from 'ajv/dist/2020';
import fc from 'fast-check';
import { generatedRounds } from '../../support/chance/generated-rounds';
import { LINK_MESSAGES } from '../../support/link-protocol/messages';
import { withGeneratedParts } from '../../support/link-protocol/readme';
import { schemaFiles } from '../../support/link-protocol/schema-files';
import { PROOF_VECTORS, TIME_VECTORS } from '../../support/link-protocol/vectors';
import { ROOT } from '../../support/processes/program';

const SCHEMAS = join(ROOT, 'shared/schemas');
const readme = readFileSync(join(ROOT, 'shared/README.md'), 'utf8');
const published = readdirSync(SCHEMAS).map((name): [string, string] => [
  name,
  readFileSync(join(SCHEMAS, name), 'utf8'),
]);

/** The frames of the README's example, in their order. */
const transcript = readme
  .split('\n')
  .filter((line) => /^[<>] \{/.test(line))
  .map((line) => ({ from: line.startsWith('>') ? ('device' as const) : ('server' as const), text: line.slice(2) }));
const READERS = { device: readDeviceFrame, server: readServerFrame };

describe('what is generated is that of the schemas: npm run generate', () => {
  test('shared/schemas', () => {
    expect(new Map(published)).toEqual(schemaFiles());
  });

  test('the tables of shared/README.md', () => {
    expect(readme).toBe(withGeneratedParts(readme));
  });
});

describe('the published schemas', () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: 'log', logger: false });
  for (const [, text] of published) ajv.addSchema(JSON.parse(text));
  const allows = (name: string, value: unknown): boolean => ajv.validate(`urn:relaygate:link:v1:${name}`, value);

  test('are valid JSON Schema 2020-12 and find each other', () => {
    expect(published).toHaveLength(LINK_MESSAGES.length + 2);
    for (const [name, text] of published) {
      const { $schema, $id } = JSON.parse(text);
      expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
      expect($id).toBe(`urn:relaygate:link:v1:${name.replace('.json', '')}`);
      expect(ajv.getSchema($id)).toBeDefined();
    }
  });

  test.each(transcript)('allow the README’s $text', ({ from, text }) => {
    expect(allows(`${from}-message`, JSON.parse(text))).toBe(true);
    expect(allows(`${from === 'device' ? 'server' : 'device'}-message`, JSON.parse(text))).toBe(isTimeReply(text));
  });

  test('forbid no member that they do not name, so that an older side lets a newer one pass', () => {
    for (const [, text] of published) expect(text).not.toContain('additionalProperties');
  });

  test('of reports let inputs pass also as they were before there were inputs', () => {
    const { properties, ...schema } = JSON.parse(readFileSync(join(SCHEMAS, 'report.json'), 'utf8'));
    const { inputs, ...before } = properties;
    const isAllowed = new Ajv2020().compile({
      ...schema,
      $id: 'urn:relaygate:link:v1:before-inputs',
      properties: before,
    });
    const report = { type: 'report', outputs: [], faults: [] };
    const input = { numInput: 0, name: 'Gate', kind: 'contact', state: 'open' };
    expect([inputs.type, isAllowed(report), isAllowed({ ...report, inputs: [input] })]).toEqual(['array', true, true]);
    expect([allows('report', report), allows('report', { ...report, inputs: [input] })]).toEqual([true, true]);
  });

  test('say the same as server and agent do of every message with one member changed', () => {
    const changed = fc
      .tuple(fc.constantFrom(...transcript), fc.nat(), fc.option(fc.jsonValue(), { nil: undefined }))
      .map(([{ from, text }, n, value]) => {
        const message = JSON.parse(text);
        const members = Object.keys(message).filter((name) => name !== 'type');
        message[members[n % members.length] ?? ''] = value;
        return { from, text: JSON.stringify(message) };
      });
    fc.assert(
      fc.property(changed, ({ from, text }) => {
        expect(allows(`${from}-message`, JSON.parse(text))).toBe(kindOf(READERS[from](text)) === 'message');
      }),
      generatedRounds(100, 1_000),
    );
  });
});

describe('the text of shared/README.md', () => {
  test.each(transcript)('shows a frame that is read: $text', ({ from, text }) => {
    expect(kindOf(READERS[from](text))).toBe('message');
  });

  test('shows every type of message, and the first test vector', () => {
    const shown = new Set(transcript.map(({ text }) => JSON.parse(text).type));
    expect([...shown].sort()).toEqual(
      [...new Set(LINK_MESSAGES.map(({ schema }) => schema.properties?.type?.const))].sort(),
    );
    const { publicKey, deviceNonce, serverNonce, signature } = PROOF_VECTORS.accepted[0] ?? {};
    for (const member of [publicKey, deviceNonce, serverNonce, signature]) expect(readme).toContain(`"${member}"`);
  });

  test('works its example out as the test vectors do', () => {
    const { samples = [], executeBeforeMs, startBeforeMs } = TIME_VECTORS.cases[0] ?? {};
    const numbers = [...Object.values(samples[0] ?? {}), executeBeforeMs, startBeforeMs].map((n) =>
      n?.toLocaleString('en-US'),
    );
    const [, example = ''] = readme.match(/^An example: (.*?)\n\n/ms) ?? [];
    for (const number of numbers) expect(example).toContain(number);
  });

  test('names every close code once, in ascending order', () => {
    const named = readme.split('\n').flatMap((line) => line.match(/^\| (\d{4}) [a-zA-Z]+ \|/)?.[1] ?? []);
    expect(named.map(Number)).toEqual(Object.values(CLOSE));
  });
});

function kindOf(frame: Frame<unknown>): string {
  return frame.kind;
}

/** A server's `time` has all that a device's has, so it also passes as one. */
function isTimeReply(text: string): boolean {
  return /"type":"time".*"serverMs"/.test(text);
}

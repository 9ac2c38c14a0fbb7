/** A model's rule that no mutant breaks may be one that nothing can break. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes/program';

const UNIT = join(ROOT, 'test/unit');

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: as they stand in the sources
/** Rules that no mutant breaks yet. It may only shrink. */
const UNBROKEN: Readonly<Record<string, readonly string[]>> = {
  'guard-model': ['I6: a command is never answered', 'I4: an impulse never ends'],
  'command-judge': [
    'I14: an order that no command asked for',
    'I1: a command moves something after it was called over',
    'I1: an edge before its record',
    'I4: an impulse output goes on without a command',
    'I3: ${outcome} (${reason}), and something has moved',
    'I3: executed, and nothing has moved',
    'I3: a pulse has ended where there is none',
    'I14: a command during a pulse has moved something',
  ],
  'policy-judge': ['I14: an output of an interlock comes back that another one has replaced'],
  'output-judge': [
    'I14: an order for a command that nobody gave',
    'I4: not the pulse that is set',
    'I14: driven active without a command',
    'I8: a power cut undid what somebody was told',
    'I3: already-set is for on-off outputs',
    'I3: already-set, yet the board was told',
    'I2: expired, and the relay moved',
    'I3: the board is not away, or was told',
    'I3: refused, and the relay moved',
    'I3: called too soon, and it is not',
  ],
  'output-model': [
    'I4: an impulse output goes on without a command',
    'I3: put back on a board that is away',
    'I14: a board is asked, and nobody waits for it',
    'I3: a board is asked that is away',
    'I14: what nobody asked for is postponed',
    'I1: postponed, and the board was told',
    'I5: "on" is saved before its edge',
  ],
  'command-slot-model': ['I9: ${outcome}, and the device did not say so'],
  'dispatcher-model': [
    'I9: the audit says pending for ever',
    'I9: two outcomes',
    'I9: closed without an outcome',
    'I2: sent after the execution deadline',
  ],
  'cluster-model': [
    'I6: two commands of one product in flight',
    'I1: executed twice',
    'I9: pending for ever',
    'I6: answered too late: ${(answeredMs ?? nowMs) - askedMs} ms',
  ],
  'link-model': [
    'I3: a command of this link has come to nothing',
    'I12: two sockets at once',
    'I12: tells the guard of another epoch',
    'I2: resumes before it knows the time',
    'I11: resumes before it reports its outputs',
    'I10: a result that no command asked for',
    'I3: refuses a command though it knows the time',
  ],
  'execution-judge': [
    'I2: executes before the link is up',
    'I3: refuses though the time is known',
    'I14: executes without knowing the time',
    'I3: gives up long before the deadline',
  ],
  'button-judge': ['I1: one press moves twice, at ${other} and ${atMs}'],
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as they stand in the sources

const MODEL_TESTS = readdirSync(UNIT, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.model.test.ts'),
);

/** The test, and what it imports of its own folder. */
function sourcesOf(file: string, known = new Map<string, string>()): Map<string, string> {
  if (known.has(file)) return known;
  const text = readFileSync(join(UNIT, file), 'utf8');
  known.set(file, text);
  for (const [, name = ''] of text.matchAll(/ from '\.\/([\w-]+)'/g))
    sourcesOf(join(dirname(file), `${name}.ts`), known);
  return known;
}

function literalsOf(text: string): string[] {
  return [...text.matchAll(/'([^'\n]+)'|`([^`\n]+)`/g)].map(([, plain, template]) => plain ?? template ?? '');
}

/** What a model or a judge says of a violation. */
function rulesOf(text: string): string[] {
  const said = literalsOf(text).filter((words) => /^I\d+: |, and the command may be executed$/.test(words));
  const violated = [...text.matchAll(/#violate\(['`]([^'`\n]+)/g)].map(([, words = '']) => words);
  return [...new Set([...said, ...violated])];
}

/** Whether a mutant that is caught for `violation` breaks this rule. What a template fills in may be anything. */
function isBroken(rule: string, violation: string): boolean {
  const [words = ''] = rule.split(/\$\{[^}]*\}/).toSorted((one, other) => other.length - one.length);
  return words.includes(violation) || violation.includes(words);
}

/** Other words of a test may stand in a rule too. */
const isSentence = (words: string): boolean => words.length > (/^I\d+: /.test(words) ? 'I14: '.length : 12);

const isModel = (file: string): boolean => /-(model|judge)\.ts$/.test(file);
const hasMutants = (file: string): boolean => /\.model\.test\.ts$|-sabotage\.ts$/.test(file);

/** By file of a model or a judge: its rules, and what its tests' mutants are caught for. */
function models(): Map<string, { rules: string[]; violations: string[] }> {
  const found = new Map<string, { rules: string[]; violations: string[] }>();
  for (const test of MODEL_TESTS) {
    const sources = [...sourcesOf(test)];
    const words = sources.flatMap(([file, text]) => (hasMutants(file) ? literalsOf(text) : []));
    const violations = words.filter(isSentence);
    for (const [file, text] of sources.filter(([name]) => isModel(name))) {
      const model = found.get(file) ?? { rules: rulesOf(text), violations: [] };
      model.violations.push(...violations);
      found.set(file, model);
    }
  }
  return found;
}

describe('each rule of a model is broken by a mutant', () => {
  test.each([...models()])('%s', (file, { rules, violations }) => {
    expect(rules.filter((rule) => !violations.some((violation) => isBroken(rule, violation)))).toEqual(
      UNBROKEN[basename(file, '.ts')] ?? [],
    );
  });
});

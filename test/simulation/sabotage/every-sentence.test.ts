/** A sentence of the checker that no deliberate fault and no situation makes it say may be one that it cannot say. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { ROOT } from '../../support/processes/program';
import { ALL_FAULTS } from './all-faults';

const SIMULATION = join(ROOT, 'test/simulation');
/** Shorter words are no sentence, or stand in many. */
const MIN_LENGTH = 10;

/** What nothing makes it say yet. It may only shrink. */
const UNSAID: Readonly<Record<string, readonly string[]>> = {
  'absences.ts': [
    'the guard of ... called its board ...',
    '... , and nothing restores it',
    '... , and it was off before',
    '... , and its time was over',
  ],
  'access.ts': [
    'association ...  ...',
    'client ...',
    'product ...',
    'nobody asked for ...',
    '... was sent on rights not read for it',
    '... was sent though its client may not do it any more',
    'was shown ... , which nobody gave',
  ],
  'aftermath.ts': [
    'the server finds its audit broken: ...',
    "the audit's chain is broken: ...",
    'the audit has ... of ... , which was written ... times',
    '... is ... in the audit, and ... among the commands',
    'the outcome ... of ... was written, and the database has ...',
    'switched a moment ago, and shown as not connected',
    'output ... is confirmed by ... , and its board reads ...',
    '... links are open for ... devices',
  ],
  'button-entries.ts': [
    'the history has a press by ... , which was none (entry ... )',
    'the history calls a press by ...  ... , and it was ...',
    'the history has a button entry of its agent, which counts nothing',
    'button ... has moved output ... , and nobody has noted it ( ... )',
  ],
  'clicks.ts': ['was to click, and another one moved', 'is said to have clicked, and did so ... times'],
  'command-slots.ts': ['... acquired the slot of ... while ... held it'],
  'contacts.ts': ['input ... of ... is reported as ... , ...', 'and only bounced', 'which it is no more'],
  'deeds.ts': [
    'entry ... is about nothing',
    'the history has ... by ... , who did it before the factory reset',
    'the history calls ... by ...  ... , and the guard said ...',
  ],
  'doubt.ts': ['... moved output ... of ... while the database was away'],
  'execution.ts': ['a command moved ... times', 'a command was sent by link ... , and link ... holds the product'],
  'families.ts': ['two tokens follow the same one'],
  'key-lives.ts': [
    '... ran anew for ... of ...',
    '... , ... ms after the key came first',
    '... , and ... before it ...',
    '... commands moved something for ... of ...',
  ],
  'keys.ts': [
    'nobody asked for ... under ...',
    '... asked again under ... and was told ... : ...',
    'it asks for something else',
    'it was there before, and no header says so',
    'the key stood for no other request',
    '... was on record',
    'only its own command was at work',
    '... is newer',
    'it moved afterwards',
    'the audit knew that it is done',
  ],
  'pins.ts': ['... wrong PINs ...', 'was told ... with the right PIN'],
  'policies/interval.ts': ['was refused as too soon, and had not moved for long enough'],
  'policies/local-commands.ts': ["a technician's command moved twice"],
  'policies/on-time.ts': ['... was on until ... ms after ...', 'the ... had been away for ... ms'],
  'policies/proof.ts': ['its input showed it, and it was called unproven'],
  'policies/pulse-length.ts': ['a pulse of ... ms on output ... of ...'],
  'power-on.ts': ['its policy is ...', 'output ... of ... was ... when its guard was ready, and ...'],
  'press-outcomes.ts': [
    'the guard of ... calls a press for output ...  ... , ... ( ... )',
    'button ...',
    'which is for another one',
    'and nobody pressed',
    'and its relay has moved',
    'and there was time left',
    'for no such reason',
    'which a press does not become',
  ],
  'presses.ts': [
    'which is for another one',
    'twice for one press',
    'because it was released',
    '... ms after the press',
    'which only bounced',
    'which was pressed since before its guard or board was there',
    'which was not seen released before',
    'which had moved it just before',
    'a press at input ... of ... moved nothing, and nothing was in its way',
  ],
  'relays.ts': [
    '... went on ...',
    'at a start, and its policy is off',
    'twice in one boot',
    'at a start, and its time was over',
    'at a start, and it was off before',
  ],
  'reported.ts': [
    '... read of ... : ...',
    '... connected, and the link was ...',
    '... , which nobody has reported',
    '... , which it was not',
  ],
  'resets.ts': [
    '... went on after a factory reset',
    'the factory reset of ... has left ...',
    '... worked on what a factory reset has left of ...',
    'a lock of before its factory reset holds output ... of ... ( ... )',
  ],
  'revocations.ts': ['link ... of ... was open ... ms after its device was revoked'],
  'settings.ts': ['... of output ... of ...'],
  'sources.ts': ['a client was told of', 'the audit holds'],
  'stops.ts': [
    '... took ... ms to stop',
    '... has no answer to ...',
    'the link of ... was dropped without a word',
    '... commands were left pending',
    '{"outcome":{"commandId":" ... "',
    'what became of ... stands nowhere',
  ],
  'verdicts.ts': ['the guard of ... said ... , and ... ( ... )'],
  'wiring-proofs.ts': ['... keeps a proof of ... , who has proven nothing'],
  'writes.ts': ['... writes were refused for the failure of ...'],
};

function sourcesIn(folder: string): [file: string, text: string][] {
  const files = readdirSync(join(SIMULATION, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .map((file) => [file, readFileSync(join(SIMULATION, folder, file), 'utf8')]);
}

/** What stands for the values in a sentence. */
const VALUE = ' ... ';

/** The texts in a source that may be sentences, without those of its own mistakes. */
function sentencesOf(text: string): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isNewExpression(node)) return;
    if (ts.isStringLiteralLike(node)) found.add(node.text.trim());
    else if (ts.isTemplateExpression(node)) {
      const parts = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
      found.add(
        parts
          .map((part) => part.text.trim())
          .join(VALUE)
          .trim(),
      );
    } else ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true));
  return [...found].filter((sentence) => partsOf(sentence).length > 0 && sentence.includes(' '));
}

const partsOf = (sentence: string): string[] => sentence.split(VALUE).filter(({ length }) => length >= MIN_LENGTH);

test('each sentence of the checker is said of a deliberate fault or in a situation', () => {
  const inSituations = sourcesIn('situations').flatMap(([, text]) => sentencesOf(text).flatMap(partsOf));
  const said = [...ALL_FAULTS.map(({ says }) => says), ...inSituations];
  const isSaid = (part: string): boolean => said.some((words) => part.includes(words) || words.includes(part));
  const unsaid = sourcesIn('checker').map(([file, text]): [string, string[]] => [
    file,
    sentencesOf(text).filter((sentence) => !partsOf(sentence).some(isSaid)),
  ]);
  expect(Object.fromEntries(unsaid.filter(([, sentences]) => sentences.length > 0))).toEqual(UNSAID);
});

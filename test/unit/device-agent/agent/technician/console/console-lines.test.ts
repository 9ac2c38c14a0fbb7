import { describe, expect, test } from '@jest/globals';
import { LineEditor, MAX_LINE_CHARS, type Typed } from '@relaygate/device-agent/agent/technician/console/console-lines';
import fc from 'fast-check';
import { generatedRounds } from '../../../../../support/chance/generated-rounds';

function typing({ isSecret = false } = {}) {
  const typed: Typed[] = [];
  let echoed = '';
  const editor = new LineEditor({
    echo: (text) => {
      echoed += text;
    },
    typed: (one) => void typed.push(one),
  });
  editor.isSecret = isSecret;
  return {
    push: (bytes: string | readonly number[]) => editor.push(Buffer.from(bytes as string)),
    typed,
    echoed: () => echoed,
  };
}
const line = (text: string): Typed => ({ kind: 'line', text });
const GARBLED: Typed = { kind: 'garbled' };

test.each([
  ['CR', 'ab\r'],
  ['LF', 'ab\n'],
  ['CRLF', 'ab\r\n'],
])('%s ends a line', (_name, ending) => {
  const { push, typed } = typing();
  push(ending);
  push('c\r');
  expect(typed).toEqual([line('ab'), line('c')]);
});

test('a CRLF that comes in two parts is one end', () => {
  const { push, typed } = typing();
  push('a\r');
  push('\nb\r');
  expect(typed).toEqual([line('a'), line('b')]);
});

test.each([
  ['Backspace', 'abc\b\bd\r', 'ad'],
  ['DEL', 'abc\x7fd\r', 'abd'],
  ['more of them than characters', 'a\b\b\bb\r', 'b'],
  ['Ctrl-U', 'abc\x15d\r', 'd'],
  ['Ctrl-U of one character', 'a\x15b\r', 'b'],
  ['arrows and function keys', '\x1b[A1\x1b[3~2\x1bOP3\r', '123'],
  ['Tab', '1\t2\r', '12'],
  ['blanks around it', '  12 \r', '12'],
  ['accents in UTF-8', 'Entrée été\r', 'Entrée été'],
])('%s', (_name, bytes, text) => {
  const { push, typed } = typing();
  push(bytes);
  expect(typed).toEqual([line(text)]);
});

test('a letter whose bytes come one by one is one letter', () => {
  const { push, typed } = typing();
  for (const byte of Buffer.from('é€\r')) push([byte]);
  expect(typed).toEqual([line('é€')]);
});

test('Ctrl-C says so, and the line is forgotten', () => {
  const { push, typed } = typing();
  push('ab\x03c\r');
  expect(typed).toEqual([{ kind: 'cancelled' }, line('c')]);
});

test('what is typed is shown, and a PIN as stars', () => {
  const open = typing();
  open.push('ab\bc\r');
  expect(open.echoed()).toBe('ab\b \bc\r\n');
  const secret = typing({ isSecret: true });
  secret.push('12\r');
  expect(secret.echoed()).toBe('**\r\n');
});

describe('a line that may mean something else than it says is garbled', () => {
  test.each([
    ['control bytes', [0x31, 0x00, 0x0d]],
    ['a letter in Latin-1', [0x31, 0xe9, 0x0d]],
    ['a cut letter of UTF-8', [0x31, 0xc3, 0x0d]],
    ['C1 controls', [0xc2, 0x85, 0x0d]],
    ['a sign that turns the writing around', [0xe2, 0x80, 0xae, 0x0d]],
  ])('%s', (_name, bytes) => {
    const { push, typed } = typing();
    push(bytes);
    push('2\r');
    expect(typed).toEqual([GARBLED, line('2')]);
  });

  test('one that is too long, of which no more is kept', () => {
    const { push, typed, echoed } = typing();
    push('x'.repeat(100_000));
    expect(echoed()).toHaveLength(MAX_LINE_CHARS);
    push('\r');
    expect(typed).toEqual([GARBLED]);
  });

  test('but not once it was taken back by Ctrl-U', () => {
    const { push, typed } = typing();
    push([0x31, 0x00, 0x15, 0x32, 0x0d]);
    expect(typed).toEqual([line('2')]);
  });
});

test('noise alone counts as no key', () => {
  const { push } = typing();
  expect(push([0x00, 0xff, 0x00])).toBe(false);
  expect(push('a')).toBe(true);
});

test('whatever comes, in whatever parts: lines are short and hold nothing that is not to be seen', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (parts) => {
      const [whole, cut] = [typing(), typing()];
      for (const part of parts) cut.push([...part]);
      whole.push(parts.flatMap((part) => [...part]));
      expect(cut.typed).toEqual(whole.typed);
      for (const one of cut.typed) {
        if (one.kind !== 'line') continue;
        expect([...one.text].length).toBeLessThanOrEqual(MAX_LINE_CHARS);
        expect(one.text).not.toMatch(/[\p{Cc}\ufffd]/u);
      }
    }),
    generatedRounds(100, 1_000),
  );
});

import { describe, expect, test } from '@jest/globals';
import { factsOnLabel, type LabelFacts, labelSvg } from '@relaygate/hardware/site/label';

const FACTS: LabelFacts = {
  productLogin: 'gate-1',
  productKey: 'ABCD-EFGH-JKMN-PQRS-TVWX-YZ01-23',
  pin: '01234567',
  server: 'wss://gate.example.com',
  fingerprint: null,
  webFingerprint: null,
};
const FINGERPRINTS = {
  fingerprint: '0123-4567-89ab-cdef-0123-4567-89ab-cdef',
  webFingerprint: `AB${':CD'.repeat(31)}`,
};
const HEIGHT_MM = 40;
const WIDTH_MM = 90;

/** Each line with its place and size. */
function linesOf(svg: string): { x: number; size: number; text: string }[] {
  const found = svg.matchAll(/<text x="([^"]+)" .*font-size="([^"]+)">([^<]*)</g);
  return [...found].map(([, x, size, text = '']) => ({ x: Number(x), size: Number(size), text }));
}

describe('a label', () => {
  test('says who the device is, and has a place for its fingerprint', () => {
    expect(linesOf(labelSvg(FACTS)).map(({ text }) => text)).toEqual([
      'gate-1',
      'key ABCD-EFGH-JKMN-PQRS-TVWX-YZ01-23',
      'PIN 01234567',
      'wss://gate.example.com',
      expect.stringMatching(/^fingerprint _+$/),
    ]);
  });

  test('leaves out what is not known', () => {
    expect(linesOf(labelSvg({ ...FACTS, productKey: null, pin: null }))).toHaveLength(3);
  });

  test('has the fingerprints that are known, in two rows as browsers show them, all within its height', () => {
    const svg = labelSvg({ ...FACTS, ...FINGERPRINTS });
    expect(linesOf(svg).map(({ text }) => text)).toEqual([
      'gate-1',
      'key ABCD-EFGH-JKMN-PQRS-TVWX-YZ01-23',
      'PIN 01234567',
      'wss://gate.example.com',
      'fingerprint 0123-4567-89ab-cdef-0123-4567-89ab-cdef',
      `page AB${':CD'.repeat(15)}:`,
      `     CD${':CD'.repeat(15)}`,
    ]);
    const lowest = Math.max(...[...svg.matchAll(/<text x="[^"]+" y="([^"]+)"/g)].map(([, y]) => Number(y)));
    expect(lowest).toBeLessThan(HEIGHT_MM - 1);
  });

  test.each([FACTS, { ...FACTS, productKey: null, pin: null, server: 'wss://a&b<c>' }, { ...FACTS, ...FINGERPRINTS }])(
    'is read again as what it says: %j',
    (facts) => {
      const { fingerprint: _, webFingerprint: __, ...own } = facts;
      expect(factsOnLabel(labelSvg(facts))).toEqual(own);
    },
  );

  test('is not every picture', () => {
    expect(factsOnLabel('<svg xmlns="http://www.w3.org/2000/svg"><text x="1">gate</text></svg>')).toBeNull();
    expect(factsOnLabel('')).toBeNull();
  });

  test('writes long lines smaller, so that none leaves it', () => {
    const long = { ...FACTS, productLogin: 'g'.repeat(64), server: `wss://${'s'.repeat(100)}` };
    for (const { x, size, text } of linesOf(labelSvg(long)))
      expect(x + size * 0.6 * text.length).toBeLessThan(WIDTH_MM);
  });

  test('takes signs of SVG in an address for text', () => {
    expect(labelSvg({ ...FACTS, server: 'wss://a&b<c>' })).toContain('>wss://a&amp;b&lt;c&gt;<');
  });

  test('has another code for another device', () => {
    const codeOf = (facts: LabelFacts): string => /<path d="([^"]+)"/.exec(labelSvg(facts))?.[1] ?? '';
    expect(codeOf(FACTS)).not.toBe(codeOf({ ...FACTS, pin: '01234568' }));
    expect(codeOf(FACTS)).toBe(codeOf(FACTS));
  });
});

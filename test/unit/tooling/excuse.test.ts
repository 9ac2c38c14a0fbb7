/** Who judges times must be able to say no: what is excused, what is inconclusive, and what is the program's own fault. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { CAP_MS, Inconclusive, note, repeat, verdictOn } from '../../support/time/excuse';
import { tallyOf } from '../../support/time/excuse-tally';

const QUIET = (): number => 0;

/** Not that of this suite, which would count what is only played here. */
const folder = folderForEach('rg-excuses-');
beforeEach(() => {
  process.env.RELAYGATE_EXCUSES = join(folder, 'excuses');
});
afterEach(() => {
  delete process.env.RELAYGATE_EXCUSES;
});

describe('a verdict', () => {
  test.each([
    ['pulse', -1, 0, 'in-time'],
    ['pulse', -1, 500, 'in-time'],
    ['pulse', 30, 0, 'late'],
    ['pulse', 30, 29, 'late'],
    ['pulse', 30, 30, 'excused'],
    ['pulse', 50, CAP_MS.pulse, 'excused'],
    ['pulse', 60, CAP_MS.pulse, 'late'],
    ['pulse', 60, CAP_MS.pulse + 1, 'inconclusive'],
    ['answer', 300, CAP_MS.answer, 'excused'],
    ['answer', 301, CAP_MS.answer, 'late'],
    ['answer', 400, CAP_MS.answer + 1, 'inconclusive'],
    ['quiet', 1, 0, 'late'],
    ['quiet', 60, 1, 'late'],
    ['quiet', 1, 1, 'inconclusive'],
  ] as const)('on a %s that is %i ms late while the machine lost %i: %s', (what, lateMs, lostMs, kind) => {
    expect(verdictOn(what, lateMs, () => lostMs).kind).toBe(kind);
  });

  test('on what is in time asks nobody', () => {
    const asked = (): number => {
      throw new Error('asked');
    };
    expect(verdictOn('pulse', 0, asked).kind).toBe('in-time');
    expect(verdictOn('pulse', 1, QUIET).kind).toBe('late');
  });
});

describe('a repetition', () => {
  test('that is inconclusive is played again, one that went wrong never', async () => {
    let plays = 0;
    let stages = 1;
    const played = repeat(
      async () => {
        plays += 1;
        if (plays < 3) throw new Inconclusive('the machine');
        return 'judged';
      },
      async () => {
        stages += 1;
      },
    );
    await expect(played).resolves.toBe('judged');
    expect([plays, stages]).toEqual([3, 3]);
    const wrong = repeat(async () => {
      plays += 1;
      throw new Error('the program');
    });
    await expect(wrong).rejects.toThrow('the program');
    expect(plays).toBe(4);
  });

  test('that is always inconclusive fails in the end', async () => {
    const played = repeat(async () => {
      throw new Inconclusive('the machine');
    });
    await expect(played).rejects.toThrow('8 times the machine');
  });
});

describe('what a suite ends with', () => {
  const noted = (): string => readFileSync(join(folder, 'excuses'), 'utf8');
  const repetitions = (count: number, inconclusive: number): string => {
    for (let n = 0; n < count; n += 1) note({ kind: 'repetition' });
    for (let n = 0; n < inconclusive; n += 1) note({ kind: 'inconclusive' });
    return noted();
  };

  test('also says that there was no excuse', () => {
    expect(tallyOf('')).toEqual({
      line: 'excused by a late machine: 0 pulses, 0 answers; 0 of 0 repetitions inconclusive',
      isTooMany: false,
    });
  });

  test('counts each excuse, and names the longest', () => {
    note({ kind: 'excused', what: 'pulse', lostMs: 12.34 });
    note({ kind: 'excused', what: 'pulse', lostMs: 7 });
    note({ kind: 'excused', what: 'answer', lostMs: 250 });
    expect(tallyOf(noted()).line).toBe(
      'excused by a late machine: 2 pulses (12.3 ms at most), 1 answer (250.0 ms at most); 0 of 0 repetitions inconclusive',
    );
  });

  test('10 % of the repetitions may be inconclusive, 11 % fail the suite', () => {
    expect(tallyOf(repetitions(100, 10)).isTooMany).toBe(false);
    const { line, isTooMany } = tallyOf(repetitions(0, 1));
    expect(isTooMany).toBe(true);
    expect(line).toMatch(/11 of 100 repetitions inconclusive, more than 10 %/);
  });

  test('what repeat plays is among it', async () => {
    let plays = 0;
    await repeat(async () => {
      plays += 1;
      if (plays === 1) throw new Inconclusive('the machine');
    });
    expect(tallyOf(noted()).line).toMatch(/1 of 2 repetitions inconclusive/);
  });
});

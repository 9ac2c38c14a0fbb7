import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { EnrolmentCode } from '@relaygate/device-agent/agent/link/enrolment-code';
import { MemoryFiles } from '../../../../support/device/memory-files';
import { ENROLMENT_CODE_VECTORS } from '../../../../support/link-protocol/vectors';
import { enrolmentCode } from '../../../../support/server/codes';

const PATH = '/data/enrolment-code';

function withCode(text: string | null): { files: MemoryFiles; code: EnrolmentCode } {
  const files = new MemoryFiles();
  if (text !== null) files.texts.set(PATH, text);
  return { files, code: new EnrolmentCode(files, PATH) };
}

describe('a welcome', () => {
  test('uses up the code that was sent', async () => {
    const { files, code } = withCode(`${enrolmentCode(1)}\n`);
    await code.forget(await code.read());
    expect(files.texts.has(PATH)).toBe(false);
  });

  test.each([null, `${enrolmentCode(1)}\n`])(
    'keeps a new code that was put there since the proof with %j',
    async (sent) => {
      const { files, code } = withCode(sent);
      const read = await code.read();
      files.texts.set(PATH, `${enrolmentCode(2)}\n`);
      await code.forget(read);
      expect(files.texts.get(PATH)).toBe(`${enrolmentCode(2)}\n`);
    },
  );

  test('keeps a new code that comes while the disk is slow to remove the one that was sent', async () => {
    const { files, code } = withCode(enrolmentCode(1));
    const answer = files.hold(PATH);
    const forgotten = code.forget(enrolmentCode(1));
    await setImmediate();
    files.texts.set(PATH, enrolmentCode(2));
    answer();
    await forgotten;
    expect(files.texts.get(PATH)).toBe(enrolmentCode(2));
  });
});

test('one code is removed once, however many links have sent it', async () => {
  const { files, code } = withCode(enrolmentCode(1));
  const answer = files.hold(PATH);
  const forgotten = [code.forget(enrolmentCode(1)), code.forget(enrolmentCode(1))];
  await setImmediate();
  answer();
  await Promise.all(forgotten);
  expect(files.log).toEqual([`remove ${PATH}`]);
});

describe('the codes of shared/vectors/enrolment-codes.json', () => {
  const { accepted, refused } = ENROLMENT_CODE_VECTORS;

  test.each(accepted)('sent as it was put there: $case', async ({ code: text }) => {
    const { code } = withCode(text);
    expect(await code.read()).toBe(text);
    expect(code.faults).toEqual([]);
  });

  test.each(refused)('not sent, and a fault: $case', async ({ code: text }) => {
    const { code } = withCode(text);
    expect(await code.read()).toBeNull();
    expect(code.faults).toMatchObject([{ code: 'code-useless' }]);
  });
});

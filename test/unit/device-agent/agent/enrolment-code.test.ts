import { describe, expect, test } from '@jest/globals';
import { EnrolmentCode } from '@relaygate/device-agent/agent/enrolment-code';
import { enrolmentCode } from '../../../support/codes';
import { MemoryFiles } from '../../../support/device/memory-files';

const PATH = '/data/enrolment-code';

function withCode(text: string | null): { files: MemoryFiles; code: EnrolmentCode } {
  const files = new MemoryFiles();
  if (text !== null) files.texts.set(PATH, text);
  return { files, code: new EnrolmentCode(files, PATH) };
}

describe('a welcome', () => {
  test('uses up the code that was sent', async () => {
    const { files, code } = withCode(`${enrolmentCode(1)}\n`);
    expect(await code.toSend()).toBe(enrolmentCode(1));
    await code.forget();
    expect(files.texts.has(PATH)).toBe(false);
  });

  test.each([null, `${enrolmentCode(1)}\n`])(
    'keeps a new code that was put there since the proof with %j',
    async (sent) => {
      const { files, code } = withCode(sent);
      await code.toSend();
      files.texts.set(PATH, `${enrolmentCode(2)}\n`);
      await code.forget();
      expect(files.texts.get(PATH)).toBe(`${enrolmentCode(2)}\n`);
    },
  );
});

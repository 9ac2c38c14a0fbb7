import { describe, expect, test } from '@jest/globals';
import { EnrolmentCode } from '@relaygate/device-agent/agent/enrolment-code';
import { MemoryFiles } from '../../../support/device/memory-files';

const PATH = '/data/enrolment-code';

function withCode(text: string | null): { files: MemoryFiles; code: EnrolmentCode } {
  const files = new MemoryFiles();
  if (text !== null) files.texts.set(PATH, text);
  return { files, code: new EnrolmentCode(files, PATH) };
}

describe('a welcome', () => {
  test('uses up the code that was sent', async () => {
    const { files, code } = withCode('AAAA-BBBB\n');
    expect(await code.toSend()).toBe('AAAA-BBBB');
    await code.forget();
    expect(files.texts.has(PATH)).toBe(false);
  });

  test.each([null, 'AAAA-BBBB\n'])('keeps a new code that was put there since the proof with %j', async (sent) => {
    const { files, code } = withCode(sent);
    await code.toSend();
    files.texts.set(PATH, 'CCCC-DDDD\n');
    await code.forget();
    expect(files.texts.get(PATH)).toBe('CCCC-DDDD\n');
  });
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { ROOT } from '../../support/processes/program';

const UNIT = join(ROOT, 'hardware/systemd/relaygate-server.service');
/** systemd-analyze counts in tenths; 2.0 is the most that is allowed here. */
const MAX_EXPOSURE = 20;

describeWhere(missingProgram('systemd-analyze', 'systemd'))('the systemd unit of the server', () => {
  test('is hardened to an exposure of at most 2.0', () => {
    const args = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, '--no-pager', UNIT];
    const printed = execFileSync('systemd-analyze', args, { encoding: 'utf8' });
    const [, exposure] = /Overall exposure level for \S+: ([0-9.]+)/.exec(printed) ?? [];
    expect(Number(exposure) * 10).toBeLessThanOrEqual(MAX_EXPOSURE);
  });

  test('starts the server again as often as it ends: a database may be away for long', () => {
    const unit = readFileSync(UNIT, 'utf8').split('\n');
    for (const line of ['Restart=always', 'StartLimitIntervalSec=0']) expect(unit).toContain(line);
  });

  test('gives the server more than the 17 s and 2 s that a stop takes at most, as its README says', () => {
    const [, seconds] = /^TimeoutStopSec=([0-9]+)$/m.exec(readFileSync(UNIT, 'utf8')) ?? [];
    expect(Number(seconds)).toBeGreaterThan(19);
  });
});

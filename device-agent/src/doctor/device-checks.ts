/** Settings, programs and enrolment. */

import { dataPathsIn } from '../files/data-paths';
import { proofTime } from '../proof/proof-time';
import { causeOf } from '../runtime/problem';
import type { Check } from './check-context';
import { fail, ok, warn } from './finding';
import { INPUT_FAULTS } from './input-check';

/** Link, programs and inputs have findings of their own. */
const SHOWN_ELSEWHERE: readonly string[] = ['not-linked', 'guard-away', ...INPUT_FAULTS];

export const settingsFile: Check = ({ settings, settingsProblem: problem, areSettingsHidden }) => {
  if (!settings) return areSettingsHidden ? warn('not-seen', { problem }) : fail('settings-unusable', { problem });
  const { outputs, board, link } = settings;
  return ok('settings-well', { outputs: outputs.length, kind: board.kind, product: link.productLogin });
};

export const programs: Check = ({ machine, folders: { agentSocket }, status, statusProblem }) => {
  if (!status) {
    const isHidden = machine.rightsOf(agentSocket) !== null && !machine.isUsable(agentSocket);
    return isHidden ? warn('agent-not-seen', { socket: agentSocket }) : fail('agent-away', { problem: statusProblem });
  }
  const { isReachable, problem } = status.guard;
  return isReachable
    ? ok('programs-run', { version: status.agentVersion })
    : fail('guard-away', { problem: problem ?? '' });
};

export const deviceFaults: Check = ({ status }) => {
  if (!status) return warn('faults-unknown', {});
  const texts = status.faults.flatMap(({ code, text }) => (SHOWN_ELSEWHERE.includes(code) ? [] : [text]));
  return texts.length === 0 ? ok('no-faults', {}) : fail('faults', { texts });
};

export const enrolment: Check = ({ machine, folders, status }) => {
  if (status?.link.isUp) return ok('linked', { epoch: status.link.epoch ?? 0 });
  const paths = dataPathsIn(folders.dataDir);
  const hasIdentity = machine.rightsOf(paths.identity) !== null;
  const hasCode = machine.rightsOf(paths.enrolmentCode) !== null;
  if (!hasIdentity) return warn('no-key', {});
  if (!status) return warn('not-linked', { hasCode });
  return fail('not-enrolled', { problem: status.link.problem, hasCode });
};

export const wiringProof: Check = ({ machine, folders, settings }) => {
  const text = machine.textOf(dataPathsIn(folders.dataDir).proof);
  if (text === null) return warn('never-proven', { isRequired: settings?.requireProof === true });
  try {
    const { by, provenAt, isClockSet } = JSON.parse(text);
    return ok('proven', { by: String(by), at: proofTime({ provenAt: String(provenAt), isClockSet }) });
  } catch (error) {
    return warn('proof-unreadable', { problem: causeOf(error) });
  }
};

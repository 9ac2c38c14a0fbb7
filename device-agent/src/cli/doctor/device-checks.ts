/** Settings, programs and enrolment. */
import { problemOf } from '../../program/problem';
import { fail, ok, warn } from './finding';
import type { Check } from './look';

export const settingsFile: Check = ({ settings, settingsProblem }) => {
  const name = 'settings';
  if (!settings)
    return fail(name, settingsProblem, 'neither guard nor agent can start', 'mend it as the sentence says');
  return ok(
    name,
    `${settings.outputs.length} outputs on a board of kind ${settings.board.kind}, product ${settings.link.productLogin}`,
  );
};

export const programs: Check = ({ status, statusProblem }) => {
  const name = 'programs';
  if (!status) return fail(name, statusProblem, 'no remote command can come', 'systemctl status relaygate-agent');
  if (status.guard.isReachable) return ok(name, `agent ${status.agentVersion} and guard run`);
  return fail(
    name,
    `guard away: ${status.guard.problem}`,
    'no output can be moved',
    'systemctl status relaygate-guard',
  );
};

export const deviceFaults: Check = ({ status }) => {
  const name = 'faults';
  if (!status) return warn(name, 'not known without the agent', '', 'see "programs"');
  // The link and the programs have findings of their own.
  const own = status.faults.filter((fault) => !/^(Not linked|The guard is away)/.test(fault));
  return own.length === 0 ? ok(name, 'none') : fail(name, own.join(' '), '', 'as each says; see "relayctl status"');
};

export const enrolment: Check = ({ machine, folders, status }) => {
  const name = 'enrolment';
  if (status?.link.isUp) return ok(name, `enrolled, and linked (epoch ${status.link.epoch})`);
  const hasIdentity = machine.rightsOf(`${folders.dataDir}/identity.json`) !== null;
  const hasCode = machine.rightsOf(`${folders.dataDir}/enrolment-code`) !== null;
  if (!hasIdentity)
    return warn(
      name,
      'there is no key pair yet',
      'it is made at the first start of the agent',
      'start relaygate-agent',
    );
  const code = hasCode ? 'a code waits for its first use' : 'no code waits';
  const found = status?.link.problem ? `not linked: ${status.link.problem}; ${code}` : `not linked; ${code}`;
  if (!status) return warn(name, found, '', 'start relaygate-agent');
  return fail(
    name,
    found,
    'no remote command can come',
    hasCode
      ? 'see "server"; if that is well, ask the operator for a new code'
      : 'if the server does not know this device: a code of "relaygate-server product create" into DATA/enrolment-code',
  );
};

export const wiringProof: Check = ({ machine, folders, settings }) => {
  const name = 'proof';
  const text = machine.textOf(`${folders.dataDir}/proof.json`);
  const cure = 'stand where the relays are seen and run "relayctl prove --by NAME"';
  if (text === null) {
    const means = settings?.requireProof
      ? 'remote commands are refused'
      : 'nobody has seen that each output moves its own relay';
    return warn(name, 'the wiring was never proven', means, cure);
  }
  try {
    const { by, provenAt } = JSON.parse(text);
    return ok(name, `by ${String(by)} at ${String(provenAt)}; status says so if the wiring is another by now`);
  } catch (error) {
    return warn(name, `proof.json cannot be read: ${problemOf(error)}`, 'it proves nothing', cure);
  }
};

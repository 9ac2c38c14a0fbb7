/** What the doctor may not look at it says so, and never calls well: the agent's sandbox sees less than root. */
import { describe, expect, test } from '@jest/globals';
import type { Finding } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import type { CheckContext, Machine } from '@relaygate/device-agent/doctor/check-context';
import { examine } from '@relaygate/device-agent/doctor/doctor';
import { reported } from '@relaygate/device-agent/doctor/finding';
import { findingsOf, PlayedMachine } from '../../../support/device/played-machine';

const AS_ROOT = /sudo relayctl doctor/;

/** One question to the machine, such as `textOf /proc/mounts`. */
type Access = string;

function refusal(): Error {
  return Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open' });
}

/** Notes every question, and refuses one of them as the system would. */
function watched(context: CheckContext, refused: Access | null, asked: Set<Access>): CheckContext {
  const { machine } = context;
  const of = (access: Access): boolean => {
    asked.add(access);
    return access === refused;
  };
  const throwing =
    <Answer>(name: string, answer: (path: string) => Answer) =>
    (path: string): Answer => {
      if (of(`${name} ${path}`)) throw refusal();
      return answer(path);
    };
  const seen: Machine = {
    ...machine,
    textOf: throwing('textOf', machine.textOf),
    namesIn: throwing('namesIn', machine.namesIn),
    rightsOf: throwing('rightsOf', machine.rightsOf),
    spaceOf: throwing('spaceOf', machine.spaceOf),
    isUsable: (path) => !of(`isUsable ${path}`) && machine.isUsable(path),
    // A command that is not allowed prints nothing.
    run: async (command, args) => (of(`run ${command} ${args[1] ?? ''}`) ? null : machine.run(command, args)),
    openersOf: (path) => (of(`openersOf ${path}`) ? { openers: [], isWhole: false } : machine.openersOf(path)),
    askServer: async (link) => {
      if (of('askServer')) throw refusal();
      return machine.askServer(link);
    },
    gpioKernel: () => {
      if (of('gpioKernel')) throw refusal();
      return machine.gpioKernel();
    },
  };
  return { ...context, machine: seen };
}

async function lookWith(
  make: () => PlayedMachine,
  refused: Access | null,
): Promise<{ findings: Finding[]; asked: Set<Access> }> {
  const asked = new Set<Access>();
  const seen = await examine(watched(make().context(), refused, asked), () => {});
  return { findings: seen.map((finding) => reported(finding, 'en')), asked };
}

function withConsole(): PlayedMachine {
  const machine = new PlayedMachine();
  Object.assign(machine.settings ?? {}, { console: { port: '/dev/ttyUSB1' } });
  machine.rights.set('/dev/ttyUSB1', { mode: 0o660, uid: 0 });
  machine.printed.set('systemctl show --property=ActiveState --value serial-getty@ttyUSB1.service', 'inactive\n');
  return machine;
}

function onSerialBoard(): PlayedMachine {
  const machine = new PlayedMachine();
  Object.assign(machine.settings ?? {}, { board: { kind: 'lcus', port: '/dev/ttyUSB7', relays: 4 } });
  machine.rights.set('/dev/ttyUSB7', { mode: 0o660, uid: 0 });
  machine.testLine = null;
  return machine;
}

function onSysfs(): PlayedMachine {
  const machine = new PlayedMachine();
  Object.assign(machine.settings ?? {}, { board: { kind: 'gpio-sysfs', lines: [26, 20, 21, 16] } });
  machine.texts.set('/sys/class/gpio/export', '');
  return machine;
}

describe.each([
  ['a board on GPIO lines and a console', withConsole],
  ['a board on a serial port', onSerialBoard],
  ['a board through /sys', onSysfs],
])('beside %s', (_what, make) => {
  test('no single thing that may not be seen leaves all well, and each says how to see it', async () => {
    const { findings: healthy, asked } = await lookWith(make, null);
    const wellOf = (findings: readonly Finding[]): Set<string> =>
      new Set(findings.filter(({ verdict }) => verdict === 'ok').map(({ name }) => name));
    expect(asked.size).toBeGreaterThan(10);
    for (const access of asked) {
      const { findings } = await lookWith(make, access);
      const [before, after] = [wellOf(healthy), wellOf(findings)];
      const hidden = findings.filter(({ name }) => before.has(name) && !after.has(name));
      expect({ access, hidden: hidden.map(({ name }) => name) }).not.toEqual({ access, hidden: [] });
      expect(hidden.map(({ verdict }) => verdict)).not.toContain('fail');
      expect({ access, cures: hidden.map(({ cure }) => cure).join() }).toEqual({
        access,
        cures: expect.stringMatching(/sudo/),
      });
    }
  });
});

describe('a user who may read little', () => {
  test('is told of settings that are hidden, and not that they are wrong', async () => {
    const machine = new PlayedMachine();
    machine.settings = null;
    machine.areSettingsHidden = true;
    const findings = await findingsOf(machine);
    for (const name of ['settings', 'board', 'server', 'server name', 'power-on', 'GPIO access'])
      expect(findings.get(name)).toMatchObject({
        verdict: 'warn',
        code: 'not-seen',
        cure: expect.stringMatching(AS_ROOT),
      });
  });

  test('is told that the agent is hidden, and not that it is away', async () => {
    const machine = new PlayedMachine();
    machine.status = null;
    machine.unusable.add('/run/rg/agent.sock');
    expect((await findingsOf(machine)).get('programs')).toMatchObject({
      verdict: 'warn',
      found: expect.stringContaining('not seen from here'),
      cure: expect.stringMatching(AS_ROOT),
    });
  });

  test('who sees only some processes is not told that nobody else has the port of the console', async () => {
    const machine = withConsole();
    machine.seesAllProcesses = false;
    expect((await findingsOf(machine)).get('console')).toMatchObject({
      verdict: 'warn',
      cure: expect.stringMatching(AS_ROOT),
    });
    const french = await findingsOf(machine, 'fr');
    expect(french.get('console')?.found).toContain('on ne voit pas d’ici qui d’autre l’a ouvert');
  });
});

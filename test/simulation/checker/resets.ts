/** Factory resets: everything is off and stays so, nothing of the old device is left, and no server takes the new one for it. */

import type { Device } from '../machines/device';
import type { Edge } from '../witnesses/board-records';
import { oldUntilMs, type Wiping } from '../witnesses/on-site-records';
import type { Facts } from './facts';
import { absencesOf, boardTroubles, isTouched } from './spans';
import type { Violation } from './violation';

export function checkResets(facts: Facts): Violation[] {
  return [
    ...checkAnswers(facts),
    ...facts.history.unmarked.map(({ machine, path, atMs }) =>
      violation(atMs, `${path} of ${machine} is wiped, and nothing says that a factory reset was begun`),
    ),
    ...facts.history.wipings.flatMap((wiping) => {
      const device = facts.device(wiping.machine);
      return [
        ...checkOff(facts, device, wiping),
        ...checkLeft(wiping),
        ...checkOnce(facts, device, wiping),
        ...checkPrograms(facts, device, wiping),
        ...checkLinks(facts, wiping),
        ...checkForgotten(facts, wiping),
      ];
    }),
  ];
}

function violation(atMs: number, sentence: string): Violation {
  return { invariant: 'reset', atMs, sentence };
}

/** Whoever is told that a device is wiped may hand it on. */
function checkAnswers({ history }: Facts): Violation[] {
  return history.resets.flatMap(({ machine, askedMs, answer, answeredMs }) => {
    if (answer !== 'ok' || answeredMs === null) return [];
    const isWiped = history.wipings.some(
      (one) => one.machine === machine && one.wipedMs !== null && one.wipedMs >= askedMs && one.wipedMs <= answeredMs,
    );
    return isWiped ? [] : [violation(answeredMs, `${machine} was said to be wiped, and was not`)];
  });
}

/** Before anything is wiped everything is off; nothing goes on before the device is set up anew. */
function checkOff(facts: Facts, device: Device, { machine, markedMs, beganMs, setUpMs }: Wiping): Violation[] {
  if (beganMs === null) return [];
  const askedMs = facts.history.resets.findLast((one) => one.machine === machine && one.askedMs <= markedMs)?.askedMs;
  const absences = absencesOf(facts, device);
  return device.setup.outputs.flatMap((_output, n): Violation[] => {
    const edges = facts.edgesOf(machine, n);
    const last = edges.findLast(({ atMs }) => atMs <= beganMs);
    const isOn = last?.active === true && !wasLeftOn(facts, device, last, beganMs);
    const where = `output ${n} of ${machine}`;
    const troubles = [...boardTroubles(facts, device, n), ...absences];
    if (isOn && !isTouched(askedMs ?? 0, beganMs, troubles))
      return [violation(beganMs, `${where} was on when a factory reset began to wipe`)];
    return edges
      .filter(({ active, atMs }) => active && atMs > beganMs && atMs < (setUpMs ?? facts.endMs))
      .map(({ atMs }) => violation(atMs, `${where} went on after a factory reset`));
  });
}

/** Its guard was killed: systemd has `outputs-off` switch it off then (I4), which is not played here. */
function wasLeftOn(facts: Facts, { guard }: Device, on: Edge, beganMs: number): boolean {
  const holder = facts.livesOf(guard.name).findLast(({ fromMs }) => fromMs <= beganMs);
  if (!holder || holder.untilMs === null || holder.stop?.isDone) return false;
  return holder.untilMs >= on.atMs && holder.untilMs <= beganMs;
}

function checkLeft({ machine, wipedMs, left }: Wiping): Violation[] {
  return left.map((path) => violation(wipedMs ?? 0, `the factory reset of ${machine} has left ${path}`));
}

/** By then somebody may have begun to set it up. */
function checkOnce(facts: Facts, { agent }: Device, { machine, wipedMs }: Wiping): Violation[] {
  if (wipedMs === null) return [];
  const endMs = facts.livesOf(agent.name).findLast(({ fromMs }) => fromMs <= wipedMs)?.untilMs ?? facts.endMs;
  return facts
    .wipingsOf(machine)
    .filter(({ markedMs }) => markedMs > wipedMs && markedMs <= endMs)
    .map(({ markedMs }) => violation(markedMs, `${machine} is to be wiped anew by the agent that has wiped it`));
}

/** Nobody works with what is half gone, or with nothing. */
function checkPrograms(facts: Facts, { guard, agent }: Device, { machine, markedMs, setUpMs }: Wiping): Violation[] {
  const untilMs = setUpMs ?? facts.endMs;
  const programs = [
    { name: guard.name, who: 'a guard' },
    { name: agent.name, who: 'an agent' },
  ];
  return programs.flatMap(({ name, who }) =>
    facts
      .livesOf(name)
      .filter(({ fromMs, readyMs }) => fromMs > markedMs && readyMs !== null && readyMs < untilMs)
      .map(({ fromMs }) => violation(fromMs, `${who} worked on what a factory reset has left of ${machine}`)),
  );
}

/** The new device has a key of its own, and no link before the operator's code is on it. */
function checkLinks({ history }: Facts, wiping: Wiping): Violation[] {
  const { machine, markedMs, wipedMs } = wiping;
  const said = history.links.flatMap(({ hello, ...link }) =>
    link.machine === machine && hello ? [{ hello, link }] : [],
  );
  const old = new Set(said.filter(({ hello }) => hello.atMs <= oldUntilMs(wiping)).map(({ hello }) => hello.publicKey));
  return said.flatMap(({ hello, link: { welcomedMs } }): Violation[] => {
    if (hello.atMs <= (wipedMs ?? Number.POSITIVE_INFINITY)) return [];
    if (old.has(hello.publicKey))
      return [violation(hello.atMs, `${machine} has the key that it had before its factory reset`)];
    if (welcomedMs === null) return [];
    const codes = history.codes.filter((one) => one.machine === machine && one.atMs >= markedMs);
    if (codes.some(({ atMs }) => atMs <= welcomedMs)) return [];
    return [violation(welcomedMs, `${machine} was linked after its factory reset before it had a new code`)];
  });
}

/** What was on before is not restored, and no lock of before holds anything up. */
function checkForgotten(facts: Facts, wiping: Wiping): Violation[] {
  const { machine, setUpMs } = wiping;
  if (setUpMs === null) return [];
  const newFromMs = oldUntilMs(wiping);
  const { outputs } = facts.device(machine).setup;
  const restored = outputs.flatMap((_output, n) => {
    const since = facts.edgesOf(machine, n).filter(({ atMs, active }) => active && atMs > setUpMs);
    const [first] = since;
    if (first?.cause !== 'order' || facts.commandIdOf(first) !== null) return [];
    const span = { fromMs: setUpMs, untilMs: first.atMs };
    if (facts.settings.valuesOf({ machine, numOutput: n }, 'powerOn', span).has('on')) return [];
    return [violation(first.atMs, `output ${n} of ${machine} was on before a factory reset, and is again behind it`)];
  });
  // A new lock may be that of another output of its interlock.
  const isLockedAnew = facts.history.locks.some((lock) => lock.machine === machine && lock.askedMs >= newFromMs);
  const held = facts.orders.flatMap(({ machine: where, numOutput, atMs, verdict, commandId }) => {
    const isOurs = where === machine && atMs > setUpMs && verdict?.reason === 'locked';
    if (!isOurs || isLockedAnew) return [];
    return [
      violation(atMs, `a lock of before its factory reset holds output ${numOutput} of ${machine} (${commandId})`),
    ];
  });
  return [...restored, ...held];
}

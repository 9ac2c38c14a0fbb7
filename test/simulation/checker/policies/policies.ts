import type { Facts } from '../facts';
import type { Violation } from '../violation';
import { checkInterlocks } from './interlock';
import { checkInterval } from './interval';
import { checkLocalCommands } from './local-commands';
import { checkOnTime } from './on-time';
import { checkProofs } from './proof';
import { checkPulses } from './pulse-length';
import { rulesOf } from './rules';

/** What the policies of outputs promise, and commands on site. */
export function checkPolicies(facts: Facts): Violation[] {
  const ofOutputs = facts.devices.flatMap((device) => [
    ...checkInterlocks(facts, device),
    ...rulesOf(device).flatMap((rules, n) => {
      const edges = facts.edgesOf(device.setup.name, n);
      return [
        ...checkPulses(facts, device, rules, n, edges),
        ...checkOnTime(facts, device, rules, edges),
        ...checkInterval(facts, device, rules, n, edges),
        ...checkProofs(facts, device, rules, n, edges),
      ];
    }),
  ]);
  return [...ofOutputs, ...checkLocalCommands(facts)];
}

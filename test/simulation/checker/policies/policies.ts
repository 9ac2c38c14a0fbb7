import { wholeOutput } from '@relaygate/shared';
import type { Facts } from '../facts';
import type { Violation } from '../violation';
import { checkInterlocks } from './interlock';
import { checkInterval } from './interval';
import { checkLocalCommands } from './local-commands';
import { checkOnTime } from './on-time';
import { checkProofs } from './proof';
import { checkPulses } from './pulse-length';

/** What the policies of outputs promise, and commands on site. */
export function checkPolicies(facts: Facts): Violation[] {
  const ofOutputs = facts.devices.flatMap((device) => [
    ...checkInterlocks(facts, device),
    ...device.setup.outputs.flatMap((settings, n) => {
      const rules = wholeOutput(settings);
      const edges = facts.history.edges.filter((edge) => edge.machine === device.setup.name && edge.output === n);
      return [
        ...(rules.mode === 'impulse' ? checkPulses(facts, device, rules, n, edges) : []),
        ...checkOnTime(facts, device, rules, edges),
        ...checkInterval(facts, device, rules, n, edges),
        ...checkProofs(facts, device, rules, n, edges),
      ];
    }),
  ]);
  return [...ofOutputs, ...checkLocalCommands(facts)];
}

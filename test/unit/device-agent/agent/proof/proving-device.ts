/** An agent and its guard in this process, whose wiring is proven. */
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { AgentInMemory } from '../../../../support/device/agent-in-memory';

/** As somebody who saw these relays click, and each of them off. */
export const off = (...relays: number[]) => relays.map((relay) => ({ relay, isOn: false }));

export class ProvingDevice {
  readonly device: AgentInMemory;
  readonly guard: Guard;

  private constructor(device: AgentInMemory, guard: Guard) {
    this.device = device;
    this.guard = guard;
  }

  /** `change`: of the settings. */
  static async started(change: object, prepare: (device: AgentInMemory) => void = () => {}): Promise<ProvingDevice> {
    const device = new AgentInMemory();
    prepare(device);
    device.editSettings(change);
    const guard = await device.start();
    device.server.said.length = 0;
    return new ProvingDevice(device, guard);
  }

  async view(): Promise<Record<string, unknown>> {
    return (await this.device.localRequest('proof', {})) as Record<string, unknown>;
  }

  async say(answers: object[], more: object = {}): Promise<unknown> {
    const { wiring } = await this.view();
    return this.device.localRequest('prove', { by: 'Ada', wiring, answers, ...more });
  }

  /** Lets the clock run until the request is answered. */
  async clicked(numOutput: number): Promise<unknown> {
    const answer = this.device.localRequest('click', { numOutput }).then(
      () => 'clicked',
      (error) => error,
    );
    await this.device.passed(5_000);
    return answer;
  }

  async prove(answers: object[]): Promise<unknown> {
    for (const numOutput of answers.keys()) await this.clicked(numOutput);
    return this.say(answers);
  }

  async remote(commandId: string, numOutput = 0): Promise<unknown> {
    this.device.server.command(commandId, numOutput);
    await this.device.passed(500);
    return this.device.server.of('result').findLast((result) => result.commandId === commandId);
  }
}

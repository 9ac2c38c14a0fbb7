/**
 * A chip of the kernel's GPIO simulator (Documentation/admin-guide/gpio/gpio-sim.rst), from outside of the program that
 * drives it: what its lines have, and what is connected to its inputs.
 */
import type { GpioBias, Level } from '@relaygate/shared/device';
import type { Shell } from './shell';

const CONFIG = '/sys/kernel/config';
const LINES = 32;
const FOLLOWER = '/run/follower.pid';
const FOLLOW_STEP_US = 10_000;

/** As a shell script, to be run once. */
export const makeSimChip = (label: string): string => `
  mount -t configfs configfs ${CONFIG} && cd ${CONFIG}/gpio-sim && mkdir relaygate relaygate/bank || exit 1
  echo ${LINES} > relaygate/bank/num_lines && echo ${label} > relaygate/bank/label && echo 1 > relaygate/live`;

export class SimChip {
  readonly #shell: Pick<Shell, 'run'>;

  constructor(shell: Pick<Shell, 'run'>) {
    this.#shell = shell;
  }

  async levels(lines: readonly number[]): Promise<Level[]> {
    const files = lines.map((line) => fileOf(line, 'value')).join(' ');
    const values = (await this.#shell.run(`cat ${files}`)).trim().split('\n');
    return values.map((value) => (value === '1' ? 'high' : 'low'));
  }

  /** The resistor at an input. */
  async pull(line: number): Promise<string> {
    return (await this.#shell.run(`cat ${fileOf(line, 'pull')}`)).trim();
  }

  /** Connects the input to a resistor, whatever its program has asked for. */
  async setPull(line: number, pull: GpioBias): Promise<void> {
    await this.#shell.run(`to=$(echo ${fileOf(line, 'pull')}); echo ${pull} > $to`);
  }

  /** Connects an input to a line: it has the same level some milliseconds later, until `unfollow`. */
  async follow(line: number, input: number): Promise<void> {
    await this.#shell.run(`
      from=$(echo ${fileOf(line, 'value')}) to=$(echo ${fileOf(input, 'pull')}); export from to
      setsid sh -c 'while :; do
        read -r level < $from
        if [ $level = 1 ]; then echo pull-up > $to; else echo pull-down > $to; fi
        usleep ${FOLLOW_STEP_US}
      done' > /dev/null 2>&1 &
      echo $! > ${FOLLOWER}`);
  }

  async unfollow(): Promise<void> {
    await this.#shell.run(`kill $(cat ${FOLLOWER}) && rm ${FOLLOWER}`);
  }
}

const fileOf = (line: number, file: string): string =>
  `/sys/devices/platform/gpio-sim.0/gpiochip*/sim_gpio${line}/${file}`;

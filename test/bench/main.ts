/** The benchmarks: each measures the built programs and gives rows of the one table. `launch.mjs` builds and starts it. */
import { cpus } from 'node:os';
import { measureCommands } from './commands';
import { measureDevice } from './device';
import { type Figure, tableOf } from './figures';
import { measureGrowth } from './growth';
import { measureLinks } from './links';
import { MissingProgram } from './missing-program';
import { measureNodes } from './nodes';
import { measurePage } from './page';
import { measurePulses } from './pulses';
import { measureStorm } from './storm';

export interface BenchOptions {
  readonly names: readonly Name[];
  /** Asked for by name, and not just all there are. */
  readonly areChosen: boolean;
  readonly quick: boolean;
  readonly json: boolean;
}

/** Measures one thing. `say`: progress, for people. Rejects when it cannot be measured. */
export type Measure = (quick: boolean, say: (line: string) => void) => Promise<Figure[]>;

/** The names stand in options.mjs too, which answers before anything is built. */
const MEASURES = {
  commands: measureCommands,
  growth: measureGrowth,
  links: measureLinks,
  storm: measureStorm,
  nodes: measureNodes,
  pulses: measurePulses,
  device: measureDevice,
  page: measurePage,
} satisfies Record<string, Measure>;
type Name = keyof typeof MEASURES;

/** Gives the exit code. */
export async function runBench({ names, areChosen, quick, json }: BenchOptions): Promise<number> {
  const figures: Figure[] = [];
  let code = 0;
  for (const name of names) {
    progress(`${name} ...`);
    try {
      figures.push(...(await MEASURES[name](quick, (line) => progress(`  ${line}`))));
    } catch (error) {
      progress(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
      if (areChosen || !(error instanceof MissingProgram)) code = 1;
    }
  }
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.versions.node}`;
  const title = `${machine}${quick ? ', quick run' : ''}`;
  process.stdout.write(json ? `${JSON.stringify({ machine, quick, figures }, null, 2)}\n` : tableOf(title, figures));
  return code;
}

const progress = (line: string): void => void process.stderr.write(`${line}\n`);

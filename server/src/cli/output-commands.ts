import type { Command } from 'commander';
import { setOutputActivated } from '../products/provision';
import type { CliDeps } from './cli-deps';
import { answer, operatorCommand } from './operator-command';
import { numOutput } from './values';

export function addOutputCommands(program: Command, deps: CliDeps): void {
  const output = program.command('output').description('single outputs of a product');
  for (const activated of [true, false]) {
    const verb = activated ? 'activate' : 'deactivate';
    const description = activated ? 'let applications command this output' : 'refuse commands to this output';
    operatorCommand(output, verb, description, `relaygate-server output ${verb} north-gate 0`)
      .argument('<login>', 'the product')
      .argument('<n>', "the output's number, from 0", numOutput)
      .action((login: string, number: number, options) =>
        answer(deps, options, async (store) => {
          await setOutputActivated({ ...deps, store }, login, number, activated);
          const json = { productLogin: login, numOutput: number, activated };
          return { json, text: `Output ${number} of ${login} is ${verb}d.` };
        }),
      );
  }
}

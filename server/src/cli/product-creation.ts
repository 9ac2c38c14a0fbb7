import { MAX_OUTPUTS, RelaygateError } from '@relaygate/shared';
import { type Command, Option } from 'commander';
import { messageOf } from '../foreign-error';
import { createProducts } from '../products/create-products';
import { createProduct, type ProductWithKeys } from '../products/provision';
import type { CliDeps, OperatorStore } from './cli-deps';
import { yesNo } from './format';
import { answer, type CommonOptions, operatorCommand, withStore } from './operator-command';
import { progressLines } from './progress';
import { sheet } from './table';
import { outputCount, productCount, productLogin } from './values';

interface CreateOptions extends CommonOptions {
  outputs: number;
  login?: string;
  activateAll?: true;
  count?: number;
  csv?: true;
}

export function addProductCreation(product: Command, deps: CliDeps): void {
  const example = `relaygate-server product create --outputs 4 --login north-gate --activate-all
  relaygate-server product create --outputs 4 --count 500 --csv > labels.csv`;
  operatorCommand(product, 'create', 'make a product, its key and its enrolment code', example)
    .requiredOption(
      '--outputs <number>',
      `how many outputs it has, 1 to ${MAX_OUTPUTS}; their numbers begin with 0`,
      outputCount,
    )
    .addOption(
      new Option('--login <login>', 'its productLogin; a random one if left out')
        .argParser(productLogin)
        .conflicts(['count', 'csv']),
    )
    .option('--activate-all', 'activate the application and all outputs')
    .option('--count <number>', 'make this many products, with --csv or --json', productCount)
    .addOption(new Option('--csv', 'print productLogin,productKey,enrolmentCode lines').conflicts('json'))
    .action((options: CreateOptions, command: Command) => {
      if (options.count !== undefined && !options.csv && !options.json) {
        command.error('option --count needs --csv or --json');
      }
      return options.csv || options.count !== undefined ? createMany(deps, options) : createOne(deps, options);
    });
}

function createOne(deps: CliDeps, options: CreateOptions): Promise<void> {
  return answer(
    deps,
    options,
    async (store) => {
      const wanted = { productLogin: options.login, outputs: options.outputs, activated: options.activateAll === true };
      const created = await createProduct({ ...deps, store }, wanted);
      return { json: created, text: createdText(created) };
    },
    { creates: true },
  );
}

/** The lines for many products. */
interface Lines {
  header: string;
  line(product: ProductWithKeys): string;
}

const CSV: Lines = {
  header: 'productLogin,productKey,enrolmentCode\n',
  line: ({ productLogin: login, productKey, enrolmentCode }) => `${login},${productKey},${enrolmentCode}\n`,
};
const JSON_LINES: Lines = { header: '', line: (product) => `${JSON.stringify(product)}\n` };

function createMany(deps: CliDeps, options: CreateOptions): Promise<void> {
  const lines = options.csv ? CSV : JSON_LINES;
  return withStore(deps, options, (store) => printBatches(deps, store, options, lines), { creates: true });
}

async function printBatches(
  deps: CliDeps,
  store: OperatorStore,
  { outputs, activateAll, count = 1 }: CreateOptions,
  { header, line }: Lines,
): Promise<void> {
  const progress = progressLines(deps);
  const wanted = { count, outputs, activated: activateAll === true };
  let printed = 0;
  let unprinted: readonly ProductWithKeys[] = [];
  try {
    await deps.write(header);
    await createProducts({ ...deps, store }, wanted, async (products) => {
      unprinted = products;
      await deps.write(products.map(line).join(''));
      unprinted = [];
      printed += products.length;
      progress(() => `${printed} of ${count} products made`);
    });
  } catch (cause) {
    throw stoppedHalfway(cause, { printed, unprinted, count });
  }
}

/** Names products whose keys were not printed, because such keys are lost and products are never removed. */
function stoppedHalfway(
  cause: unknown,
  { printed, unprinted, count }: { printed: number; unprinted: readonly ProductWithKeys[]; count: number },
): RelaygateError {
  const made = `${printed} of ${count} products were made and printed`;
  const lost =
    unprinted.length === 0
      ? ''
      : `; ${unprinted.length} more were made, but their keys are lost: ${unprinted.map((product) => product.productLogin).join(' ')}`;
  const code = cause instanceof RelaygateError ? cause.code : 'unknown';
  return new RelaygateError(code, `${messageOf(cause)} ${made}${lost}.`, { cause });
}

function createdText({ productLogin: login, productKey, enrolmentCode, outputs, activated }: ProductWithKeys): string {
  const lines = sheet([
    ['Product login', login],
    ['Product key', productKey],
    ['Enrolment code', enrolmentCode],
    ['Outputs', String(outputs)],
    ['Activated', yesNo(activated)],
  ]);
  return `${lines}\nThe product key and the enrolment code are shown once; only their hashes are kept.`;
}

import { isoTime } from '@relaygate/shared';
import type { Command } from 'commander';
import type { ProductSummary } from '../products/product-store';
import { revokeDevice, rotateProductKey, setProductActivated, showProduct } from '../products/provision';
import type { CliDeps } from './cli-deps';
import { shortTime, yesNo } from './format';
import { answer, operatorCommand, settingsOf, withStore } from './operator-command';
import { printList } from './pages';
import { addProductCreation } from './product-creation';
import { type Connected, connectedNow, MAX_CLIENTS_SHOWN, productJson, productText } from './product-sheet';
import { sheet } from './table';
import { productLogin, rowLimit } from './values';

export function addProductCommands(program: Command, deps: CliDeps): void {
  const product = program.command('product').description('devices and what applications may do with them');
  addProductCreation(product, deps);
  addViews(product, deps);
  addChanges(product, deps);
  addKeyRotation(product, deps);
}

function addViews(product: Command, deps: CliDeps): void {
  operatorCommand(product, 'list', 'all products, by login', 'relaygate-server product list --after gate-m --limit 100')
    .option('--after <login>', 'begin after this login', productLogin)
    .option('--limit <number>', 'print at most this many', rowLimit)
    .action((options) =>
      withStore(deps, options, async (store) => {
        const serverRuns = await deps.isServerRunning(settingsOf(deps, options));
        return printList<ProductSummary>(deps, options, {
          page: (after, limit) => store.listProducts(after?.productLogin ?? options.after ?? '', limit),
          headings: HEADINGS,
          cells: (product) => summaryRow(product, connectedNow(product, serverRuns)),
          json: (product) => summaryJson(product, connectedNow(product, serverRuns)),
        });
      }),
    );

  const example = 'relaygate-server product show north-gate';
  operatorCommand(product, 'show <login>', 'one product, its device, its outputs and its clients', example).action(
    (login: string, options) =>
      answer(deps, options, async (store) => {
        const shown = await showProduct(store, login);
        const ofProduct = { productLogin: login, clientId: null };
        const associations = await store.listAssociations(ofProduct, undefined, MAX_CLIENTS_SHOWN);
        const connected = connectedNow(shown, await deps.isServerRunning(settingsOf(deps, options)));
        return {
          json: productJson(shown, connected, associations),
          text: productText(shown, connected, associations),
        };
      }),
  );
}

function addChanges(product: Command, deps: CliDeps): void {
  for (const activated of [true, false]) {
    const verb = activated ? 'activate' : 'deactivate';
    const description = activated ? 'let applications command its activated outputs' : 'refuse every command to it';
    operatorCommand(product, `${verb} <login>`, description, `relaygate-server product ${verb} north-gate`).action(
      (login: string, options) =>
        answer(deps, options, async (store) => {
          await setProductActivated({ ...deps, store }, login, activated);
          return { json: { productLogin: login, activated }, text: `The product ${login} is ${verb}d.` };
        }),
    );
  }

  const example = 'relaygate-server product revoke-device north-gate';
  const description = 'shut its device out and make a new enrolment code';
  operatorCommand(product, 'revoke-device <login>', description, example).action((login: string, options) =>
    answer(deps, options, async (store) => {
      const enrolmentCode = await revokeDevice({ ...deps, store }, login);
      const lines = sheet([
        ['Product login', login],
        ['Enrolment code', enrolmentCode],
      ]);
      const text = `${lines}\nThe enrolment code is shown once; only its hash is kept.`;
      return { json: { productLogin: login, enrolmentCode }, text };
    }),
  );
}

function addKeyRotation(product: Command, deps: CliDeps): void {
  const example = 'relaygate-server product rotate-key north-gate';
  const description = 'make a new product key; the old key ends at once, associated clients stay associated';
  operatorCommand(product, 'rotate-key <login>', description, example).action((login: string, options) =>
    answer(deps, options, async (store) => {
      const productKey = await rotateProductKey({ ...deps, store }, login);
      const lines = sheet([
        ['Product login', login],
        ['Product key', productKey],
      ]);
      const text = `${lines}\nThe product key is shown once; only its hash is kept. The old key has ended.
Associated clients stay associated: 'association list --product ${login}' lists them, 'association end' ends one.`;
      return { json: { productLogin: login, productKey }, text };
    }),
  );
}

const HEADINGS = ['PRODUCT LOGIN', 'OUTPUTS', 'ACTIVATED', 'ENROLLED', 'CONNECTED', 'LAST SEEN'];

function summaryRow(product: ProductSummary, connected: Connected): string[] {
  const { outputCount: outputs, activated, enrolled, lastSeenAtMs } = product;
  const flags = [yesNo(activated), yesNo(enrolled), connected === null ? 'not known' : yesNo(connected)];
  return [product.productLogin, String(outputs), ...flags, shortTime(lastSeenAtMs, 'never')];
}

function summaryJson({ outputCount: outputs, lastSeenAtMs, ...product }: ProductSummary, connected: Connected): object {
  return { ...product, connected, outputs, lastSeenAt: isoTime(lastSeenAtMs) };
}

import type { Command } from 'commander';
import { namedClient } from '../clients/provision';
import { endAssociation } from '../products/association';
import type { Association, AssociationFilter } from '../products/product-store';
import { showProduct } from '../products/provision';
import type { CliDeps, OperatorStore } from './cli-deps';
import { yesNo } from './format';
import { answer, type CommonOptions, operatorCommand, withStore } from './operator-command';
import { printList } from './pages';
import { rowLimit } from './values';

interface ListOptions extends CommonOptions {
  product?: string;
  client?: string;
  limit?: number;
}

export function addAssociationCommands(program: Command, deps: CliDeps): void {
  const association = program.command('association').description('which clients may control which products');
  addList(association, deps);
  addEnd(association, deps);
}

function addList(association: Command, deps: CliDeps): void {
  const example = `relaygate-server association list --product north-gate
  relaygate-server association list --client "Front desk"`;
  operatorCommand(association, 'list', 'who may control what, by product, then by client', example)
    .option('--product <login>', 'of this product')
    .option('--client <client>', 'of this client (id or name)')
    .option('--limit <number>', 'print at most this many', rowLimit)
    .action((options: ListOptions) =>
      withStore(deps, options, async (store) => {
        const filter = await filterOf(store, options);
        await printList<Association>(deps, options, {
          page: (after, limit) => store.listAssociations(filter, after, limit),
          headings: ['PRODUCT LOGIN', 'CLIENT', 'CLIENT ID', 'ACTIVE'],
          cells: (row) => [row.productLogin, row.clientName, row.clientId, yesNo(row.clientActive)],
          json: (row) => row,
        });
      }),
    );
}

/** Fails if a name is unknown: an empty list would look like "nobody may". */
async function filterOf(store: OperatorStore, { product, client }: ListOptions): Promise<AssociationFilter> {
  if (product !== undefined) await showProduct(store, product);
  const clientId = client === undefined ? null : (await namedClient(store, client)).clientId;
  return { productLogin: product ?? null, clientId };
}

function addEnd(association: Command, deps: CliDeps): void {
  const example = 'relaygate-server association end north-gate "Front desk"';
  operatorCommand(association, 'end', 'refuse a client this product from its next request on', example)
    .argument('<login>', 'the product')
    .argument('<client>', 'the client (id or name)')
    .action((login: string, idOrName: string, options: CommonOptions) =>
      answer(deps, options, async (store) => {
        const { clientId, name } = await endAssociation({ ...deps, store }, login, idOrName);
        return { json: { productLogin: login, clientId, clientName: name }, text: endedText(login, name) };
      }),
    );
}

function endedText(login: string, name: string): string {
  return `The client ${name} may no longer control ${login}.
If it still has the product key, it can associate again: 'product rotate-key ${login}' makes a new key.`;
}

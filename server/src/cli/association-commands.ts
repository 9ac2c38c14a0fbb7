import type { Command } from 'commander';
import { namedClient } from '../clients/named-client';
import { endAssociation } from '../products/association';
import type { Association, AssociationFilter } from '../products/product-store';
import { showProduct } from '../products/provision';
import type { CliParts, OperatorStore } from './cli-parts';
import { answer, type CommonOptions, operatorCommand, withStore } from './operator-command';
import { printList } from './pages';
import { rowLimit } from './values';
import { yesNo } from './wording';

interface ListOptions extends CommonOptions {
  product?: string;
  client?: string;
  limit?: number;
}

export function addAssociationCommands(program: Command, parts: CliParts): void {
  const association = program.command('association').description('which clients may control which products');
  addList(association, parts);
  addEnd(association, parts);
}

function addList(association: Command, parts: CliParts): void {
  const example = `relaygate-server association list --product north-gate
  relaygate-server association list --client "Front desk"`;
  operatorCommand(association, 'list', 'who may control what, by product, then by client', example)
    .option('--product <login>', 'of this product')
    .option('--client <client>', 'of this client (id or name)')
    .option('--limit <number>', 'print no more than this', rowLimit)
    .action((options: ListOptions) =>
      withStore(parts, options, async (store) => {
        const filter = await filterOf(store, options);
        await printList<Association>(parts, options, {
          page: (after, limit) => store.listAssociations(filter, after, limit),
          headings: ['PRODUCT LOGIN', 'CLIENT', 'CLIENT ID', 'ACTIVE'],
          cells: (row) => [row.productLogin, row.clientName, row.clientId, yesNo(row.clientActive)],
          json: (row) => row,
        });
      }),
    );
}

/** A misspelt name is told; it would read as "nobody may". */
async function filterOf(store: OperatorStore, { product, client }: ListOptions): Promise<AssociationFilter> {
  if (product !== undefined) await showProduct(store, product);
  const clientId = client === undefined ? null : (await namedClient(store, client)).clientId;
  return { productLogin: product ?? null, clientId };
}

function addEnd(association: Command, parts: CliParts): void {
  const example = 'relaygate-server association end north-gate "Front desk"';
  operatorCommand(association, 'end', 'refuse a client this product from its next request on', example)
    .argument('<login>', 'the product')
    .argument('<client>', 'the client (id or name)')
    .action((login: string, idOrName: string, options: CommonOptions) =>
      answer(parts, options, async (store) => {
        const { clientId, name } = await endAssociation({ ...parts, store }, login, idOrName);
        return { json: { productLogin: login, clientId, clientName: name }, text: endedText(login, name) };
      }),
    );
}

/** What would otherwise be found out when the client is back. */
function endedText(login: string, name: string): string {
  return `The client ${name} may no longer control ${login}.
If it still has the product key, it can associate again: 'product rotate-key ${login}' makes a new key.`;
}

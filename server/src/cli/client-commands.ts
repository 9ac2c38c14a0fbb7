import { isoTime } from '@relaygate/shared';
import { type Command, Option } from 'commander';
import type { ClientSummary } from '../clients/client-store';
import { createClient, rotateClientKey, setClientActive } from '../clients/provision';
import type { CliDeps } from './cli-deps';
import { shortTime, yesNo } from './format';
import { answer, operatorCommand, withStore } from './operator-command';
import { printList } from './pages';
import { sheet } from './table';
import { clientName, duration, time } from './values';

export function addClientCommands(program: Command, deps: CliDeps): void {
  const client = program.command('client').description('applications that may use the API');

  operatorCommand(client, 'create', 'make a client and its key', 'relaygate-server client create --name "Front desk"')
    .requiredOption('--name <name>', 'a name for people; unique', clientName)
    .action((options) =>
      answer(
        deps,
        options,
        async (store) => {
          const created = await createClient({ ...deps, store }, options.name);
          const { clientId, name, clientKey } = created;
          const lines = sheet([
            ['Client id', clientId],
            ['Name', name],
            ['Client key', clientKey],
          ]);
          return { json: created, text: `${lines}\nThe client key is shown once; only its hash is kept.` };
        },
        { creates: true },
      ),
    );

  addRotate(client, deps);

  operatorCommand(client, 'list', 'all clients, by name', 'relaygate-server client list').action((options) =>
    withStore(deps, options, (store) =>
      printList<ClientSummary>(deps, options, {
        page: (after, limit) => store.listClients(after?.name ?? '', limit),
        headings: HEADINGS,
        cells: (client) => clientRow(client, deps.wallClock.epochMs()),
        json: clientJson,
      }),
    ),
  );

  for (const active of [true, false]) {
    const verb = active ? 'activate' : 'deactivate';
    const description = active ? 'let a client in again' : 'refuse a client from its next request on';
    operatorCommand(client, `${verb} <client>`, description, `relaygate-server client ${verb} "Front desk"`).action(
      (idOrName: string, options) =>
        answer(deps, options, async (store) => {
          await setClientActive({ ...deps, store }, idOrName, active);
          return { json: { client: idOrName, active }, text: `The client ${idOrName} is ${verb}d.` };
        }),
    );
  }
}

function addRotate(client: Command, deps: CliDeps): void {
  const example = 'relaygate-server client rotate "Front desk" --keep-old-for 24h';
  const description = 'make a new key for a client; the old key ends at once, or works for a while';
  operatorCommand(client, 'rotate <client>', description, example)
    .addOption(
      new Option('--keep-old-for <duration>', 'the old key works for this long: 30m, 24h, 7d')
        .argParser(duration)
        .conflicts('oldKeyUntil'),
    )
    .option('--old-key-until <time>', 'the old key works until this time: 2026-03-01T12:00:00Z', time)
    .action((idOrName: string, options) =>
      answer(deps, options, async (store) => {
        const { keepOldFor, oldKeyUntil }: { keepOldFor?: number; oldKeyUntil?: number } = options;
        const untilMs = keepOldFor === undefined ? oldKeyUntil : deps.wallClock.epochMs() + keepOldFor;
        const rotated = await rotateClientKey({ ...deps, store }, idOrName, untilMs);
        const oldKeyUntilText = isoTime(untilMs ?? null);
        const lines = sheet([
          ['Client id', rotated.clientId],
          ['Name', rotated.name],
          ['Client key', rotated.clientKey],
          ['Old key', untilMs === undefined ? 'ended' : `works until ${shortTime(untilMs)}`],
        ]);
        const text = `${lines}\nThe client key is shown once; only its hash is kept.`;
        return { json: { ...rotated, oldKeyUntil: oldKeyUntilText }, text };
      }),
    );
}

/** Only the date of `2026-03-01 12:00:00Z`, because names need the room. */
const DATE_CHARS = 10;
const HEADINGS = ['NAME', 'CLIENT ID', 'KEY ID', 'ACTIVE', 'PRODUCTS', 'OLD KEY', 'CREATED'];

function clientRow(client: ClientSummary, nowMs: number): string[] {
  const { name, clientId, keyId, active, products, oldKeyUntilMs, createdAtMs } = client;
  // A key that has ended is shown with --json only.
  const oldKeyUntil = oldKeyUntilMs !== null && oldKeyUntilMs > nowMs ? shortTime(oldKeyUntilMs) : '-';
  return [
    name,
    clientId,
    keyId,
    yesNo(active),
    String(products),
    oldKeyUntil,
    shortTime(createdAtMs).slice(0, DATE_CHARS),
  ];
}

function clientJson({ createdAtMs, oldKeyUntilMs, ...client }: ClientSummary): object {
  return { ...client, createdAt: isoTime(createdAtMs), oldKeyUntil: isoTime(oldKeyUntilMs) };
}

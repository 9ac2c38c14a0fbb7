import { RelaygateError } from '@relaygate/shared';
import { type Command, Option } from 'commander';
import { passes } from '../audit/audit-list';
import { AUDIT_KINDS, type WriterHead } from '../audit/audit-record';
import { type AuditReport, brokenAudit } from '../audit/audit-report';
import type { AuditFilter, AuditRow } from '../audit/audit-store';
import { archivedRows, refuseArchived } from '../audit/every-record';
import { verifyAudit } from '../audit/verify-audit';
import { namedClient } from '../clients/provision';
import { showProduct } from '../products/provision';
import { addArchiveCommands, archivesOf } from './archive-commands';
import { auditJson, auditRow, HEADINGS, type NamedAuditRow, reportText } from './audit-sheet';
import type { CliDeps, OperatorStore } from './cli-deps';
import { answer, type CommonOptions, operatorCommand, settingsOf, withStore } from './operator-command';
import { printLines } from './pages';
import { progressLines } from './progress';
import { expectedHeads, pastTime, recordId, rowLimit } from './values';

/** Without `pending`: every command begins with it, and only a later record shows whether it still is pending. */
const OUTCOMES: readonly NonNullable<AuditFilter['outcome']>[] = [
  'executed',
  'already-set',
  'refused',
  'unproven',
  'expired',
  'confirmed-late',
  'unknown',
];

interface ListOptions extends CommonOptions {
  product?: string;
  client?: string;
  since?: number;
  until?: number;
  outcome?: NonNullable<AuditFilter['outcome']>;
  kind?: NonNullable<AuditFilter['kind']>;
  after?: number;
  limit?: number;
  newestFirst?: true;
  archive?: string[];
}

export function addAuditCommands(program: Command, deps: CliDeps): void {
  const audit = program.command('audit').description('what happened, in chains of records that show tampering');
  addList(audit, deps);
  addVerify(audit, deps);
  addEraseName(audit, deps);
  addArchiveCommands(audit, deps);
}

function addList(audit: Command, deps: CliDeps): void {
  const past = (text: string): number => pastTime(text, deps.wallClock.epochMs());
  const example = `relaygate-server audit list --product north-gate --since 24h
  relaygate-server audit list --outcome refused --newest-first --limit 20`;
  operatorCommand(audit, 'list', 'records, oldest first; with --json one document a line', example)
    .option('--product <login>', 'of this product')
    .option('--client <client>', 'of this client (id or name): its commands and their outcomes')
    .option('--since <time>', 'from this time on: 2026-03-01T12:00:00Z, 24h for 24 hours ago, or yesterday', past)
    .option('--until <time>', 'before this time', past)
    .addOption(new Option('--outcome <outcome>', 'commands and outcomes with this outcome').choices(OUTCOMES))
    .addOption(new Option('--kind <kind>', 'of this kind').choices(AUDIT_KINDS))
    .option('--after <id>', 'begin after the record with this id', recordId)
    .option('--limit <number>', 'print at most this many', rowLimit)
    .option('--newest-first', 'the newest records first')
    .option('--archive <file...>', 'with the records of these archives, before those of the database')
    .action((options: ListOptions) =>
      withStore(deps, options, async (store) => {
        const filter = await filterOf(store, options);
        const newestFirst = options.newestFirst === true;
        const archived = archivedPages(store, filter, deps, options);
        const archives = await store.auditArchives();
        await printLines<NamedAuditRow>(deps, options, {
          async page(last, limit) {
            const old = await archived(limit);
            const position = { afterId: old.at(-1)?.id ?? last?.id ?? options.after ?? null, newestFirst };
            const left = limit - old.length;
            const rows = left === 0 ? old : [...old, ...(await store.listAudit(filter, position, left))];
            if (!newestFirst) await refuseArchived(store, archives, position.afterId ?? 0);
            return withClientNames(store, rows);
          },
          headings: HEADINGS,
          cells: auditRow,
          json: auditJson,
        });
      }),
    );
}

/** What a list shows of the given archives, page by page; fewer rows than asked for only at their end. */
function archivedPages(
  store: OperatorStore,
  filter: AuditFilter,
  deps: CliDeps,
  { archive, after = 0, newestFirst }: ListOptions,
): (limit: number) => Promise<AuditRow[]> {
  if (archive && newestFirst)
    throw new RelaygateError('bad-usage', 'An archive is read from its beginning: leave --newest-first out.');
  const pages = archivedRows(store, archivesOf(deps, archive));
  const waiting: AuditRow[] = [];
  return async (limit) => {
    while (waiting.length < limit) {
      const { value, done } = await pages.next();
      if (done) break;
      waiting.push(...value.filter((row) => row.id > after && passes(row, filter)));
    }
    return waiting.splice(0, limit);
  };
}

/** Each client of the page is looked up once; names never change. */
async function withClientNames(store: OperatorStore, rows: readonly AuditRow[]): Promise<NamedAuditRow[]> {
  const names = new Map<string, string>();
  for (const clientId of new Set(rows.map((row) => row.clientId))) {
    const client = clientId === undefined ? undefined : await store.findClient(clientId);
    // The id may also be another client's name.
    if (client && client.clientId === clientId) names.set(clientId, client.name);
  }
  return rows.map((row) => {
    const clientName = row.clientId === undefined ? undefined : names.get(row.clientId);
    return clientName === undefined ? row : { ...row, clientName };
  });
}

/** Fails if a name is unknown: an empty list would look like "nothing happened". */
async function filterOf(store: OperatorStore, options: ListOptions): Promise<AuditFilter> {
  const { product, client, since, until, outcome, kind } = options;
  if (product !== undefined) await showProduct(store, product);
  const known = client === undefined ? undefined : await namedClient(store, client);
  return {
    productLogin: product ?? null,
    clientId: known?.clientId ?? null,
    sinceMs: since ?? null,
    untilMs: until ?? null,
    outcome: outcome ?? null,
    kind: kind ?? null,
  };
}

function addVerify(audit: Command, deps: CliDeps): void {
  const example = `relaygate-server audit verify
  relaygate-server audit verify --expect-head cli:12:4f0c...
  relaygate-server audit verify --checkpoint /mnt/elsewhere/audit-checkpoint.json`;
  operatorCommand(audit, 'verify', 'find every changed, missing or moved record; exit code 1 if there is one', example)
    .option(
      '--expect-head <writer:seq:hash>',
      'a head that was noted earlier and must still be in its chain; several: repeat it, or put commas between',
      expectedHeads,
    )
    .option('--archive <file...>', 'with the records of these archives: the newest ones, none missing between')
    .option('--checkpoint <file>', 'compare with this checkpoint, not with the one in the data folder')
    .action((options: VerifyOptions) =>
      withStore(deps, options, async (store) => {
        const progress = progressLines(deps);
        const archives = archivesOf(deps, options.archive);
        const settings = settingsOf(deps, options);
        const expected = options.expectHead ?? [];
        const report = await verifyAudit(
          store,
          () => ({ ...deps.auditEvidence(settings, options.checkpoint), expected, archives }),
          (records) => progress(() => `${records} records read`),
        );
        await deps.print(options.json ? JSON.stringify({ sound: report.faults === 0, ...report }) : reportText(report));
        refuseBroken(report);
      }),
    );
}

interface VerifyOptions extends CommonOptions {
  expectHead?: WriterHead[];
  checkpoint?: string;
  archive?: string[];
}

function addEraseName(audit: Command, deps: CliDeps): void {
  const example = `relaygate-server audit erase-name ana
  relaygate-server audit erase-name --client "Front desk"`;
  const what = "erase a person's name, or a client's, from all lists; records keep an id, and their chains stay sound";
  operatorCommand(audit, 'erase-name [name]', what, example)
    .option('--client <client>', 'the name of this client (id or name); it is called by its id from then on')
    .action((name: string | undefined, options: EraseOptions, command: Command) => {
      const { client } = options;
      if ((name === undefined) === (client === undefined)) {
        command.error('give the name of a person, or --client with a client');
      }
      return answer(deps, options, async (store) => {
        const atMs = deps.wallClock.epochMs();
        const erased =
          client === undefined ? await erasePerson(store, name ?? '', atMs) : await eraseClient(store, client, atMs);
        const kept = deps.keptBehind(settingsOf(deps, options));
        const text = `${erased === 1 ? '1 name' : `${erased} names`} erased. ${NOT_ERASED}`;
        return {
          json: { erased, isLogEmpty: kept === undefined },
          text: kept === undefined ? text : `${text}\n${kept}`,
        };
      });
    });
}

interface EraseOptions extends CommonOptions {
  client?: string;
}

const NOT_ERASED =
  'Backups, exported lists and records of the first format keep it (SECURITY.md, "Names in the audit").';

/** How many names were erased. Fails if there is no such name: the caller would think that it is gone. */
async function erasePerson(store: OperatorStore, name: string, atMs: number): Promise<number> {
  const erased = await store.erasePerson(name, atMs);
  if (erased > 0) return erased;
  throw new RelaygateError('name-not-found', `No record names ${name}; names are written as "audit list" shows them.`);
}

async function eraseClient(store: OperatorStore, client: string, atMs: number): Promise<number> {
  const { clientId } = await namedClient(store, client);
  return Number(await store.eraseClientName(clientId, atMs));
}

/** Fails with `audit-broken`. */
function refuseBroken(report: AuditReport): void {
  const broken = brokenAudit(report);
  if (broken === undefined) return;
  const more = report.faults > 1 ? ` (the first of ${report.faults} faults)` : '';
  throw new RelaygateError('audit-broken', `The audit is ${broken}${more}.`);
}

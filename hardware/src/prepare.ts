/** `relaygate-flash prepare`: cards for one site or for many. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HashPin } from '@relaygate/device-agent/files/hash-pin';
import { badSetting, badUsage } from '@relaygate/device-agent/runtime/complaint';
import { problemOf } from '@relaygate/device-agent/runtime/problem';
import { productCodeProblem, type Randomness, RelaygateError } from '@relaygate/shared';
import { imageSource } from './image/image-source';
import { refuseTooLittleSpace } from './image/prepared-image';
import type { ProgressDeps } from './progress';
import { boardConfigOf } from './site/board-config';
import { type Delivery, deliver, pathsOf, placesOf, refuseMisplaced, stateOf } from './site/site-delivery';
import { type PlanDeps, type SiteRequest, siteOf, withNewPin } from './site/site-plan';
import { readSiteTable, type SiteLine } from './site/site-table';
import { hasTechnician } from './site/site-technician';

/** Problems of a table that are shown at once. */
const MAX_SHOWN = 20;

/** What is not given is missing, or stands in a table. */
export type SiteRequestOfOne = { [K in keyof SiteRequest]?: SiteRequest[K] | undefined } & {
  productKey?: string | undefined;
};

export interface PrepareRequest {
  /** Of all sites, or of the only one. */
  site: SiteRequestOfOne;
  image: string | undefined;
  /** The image to be, or with many sites its folder. */
  out: string;
  settingsOnly: boolean;
  /** A table of sites, its text and its name. */
  batch: { text: string; file: string } | null;
  withPin: boolean;
  /** What stands there is made anew, whatever it is. */
  force: boolean;
}

export interface PrepareDeps extends PlanDeps {
  randomness: Randomness;
  hashPin: HashPin;
  progress: ProgressDeps;
  now: Date;
  report(text: string): void;
}

export interface Prepared {
  product: string;
  image: string | null;
  folder: string;
  /** It was there already, as it should be. */
  wasDone: boolean;
}

/** All is checked before the first byte is written. What is done already is passed over, so it can be called again. */
export async function prepare(request: PrepareRequest, deps: PrepareDeps): Promise<Prepared[]> {
  const deliveries = deliveriesOf(request, deps);
  lookForTechnician(deliveries, request, deps);
  const source = request.settingsOnly || request.image === undefined ? null : await imageSource(request.image);
  if (!request.settingsOnly && !source)
    throw badUsage('--image is missing: the image of a card, or use --settings-only.');
  for (const delivery of deliveries) await refuseMisplaced(delivery);
  const states = await Promise.all(deliveries.map(stateOf));
  const other = deliveries.find((_, n) => states[n] === 'other');
  if (other && !request.force) {
    const what = other.image ?? other.folder;
    throw new RelaygateError('already-exists', `${what} is there already, with something else; --force replaces it.`);
  }
  if (request.batch !== null) await makeFolder(request.out);
  const isMade = deliveries.map((_, n) => states[n] !== 'done' || request.force);
  const [first] = deliveries.filter(({ image }, n) => isMade[n] && image !== null);
  if (source && first?.image) {
    const added = deliveries.filter((_, n) => isMade[n] && states[n] === 'none').length;
    // One that is replaced stands until the new one is whole.
    await refuseTooLittleSpace(source, first.image, Math.max(1, added));
  }
  const prepared: Prepared[] = [];
  for (const [n, delivery] of deliveries.entries()) {
    const { image, folder, site } = delivery;
    const wasDone = states[n] === 'done' && !request.force;
    if (deliveries.length > 1)
      deps.report(`${n + 1} of ${deliveries.length}: ${site.productLogin}${wasDone ? ', done already' : ''}`);
    // A run with settings alone has no image whose progress looks at it.
    deps.progress.signal?.throwIfAborted();
    if (!wasDone) {
      const made = request.withPin ? await withNewPin(site, deps.randomness, deps.hashPin) : { site, pin: null };
      await deliver(delivery, made, { source, progress: deps.progress, now: deps.now });
    }
    prepared.push({ product: site.productLogin, image, folder, wasDone });
  }
  return prepared;
}

/** Throws `bad-usage` for a console or a page that nobody could use. */
function lookForTechnician(
  deliveries: readonly Delivery[],
  { withPin, settingsOnly }: PrepareRequest,
  { report }: Pick<PrepareDeps, 'report'>,
): void {
  const sites = deliveries.map(({ site }) => site);
  if (!withPin && sites.some(hasTechnician)) throw badUsage('Console and page ask for a PIN: leave out --no-pin.');
  if (sites.some(({ requireProof, web }) => requireProof === false && web?.forMinutes !== undefined))
    report(
      'Note: with --no-proof the page is on after each start for good, until somebody proves the wiring all the same.',
    );
  const isClosed = sites.some((site) => site.requireProof === true && !hasTechnician(site));
  if (isClosed && !settingsOnly)
    report(
      "Note: the server's commands will be refused until the wiring is proven, and on our image nobody can do that without " +
        '--web-for, --web-button or --console.',
    );
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new RelaygateError('folder-not-writable', `${path} cannot be made: ${problemOf(error)}.`, { cause: error });
  }
}

function deliveriesOf(request: PrepareRequest, deps: PlanDeps): Delivery[] {
  const { batch, site, out, settingsOnly } = request;
  if (batch === null) return [{ ...deliveryOf(site, deps), ...placesOf(out, settingsOnly) }];
  const problems: string[] = [];
  const makerOf = new Map<string, number>();
  const deliveries = readSiteTable(batch.text, batch.file).flatMap(({ line, request: own }: SiteLine) => {
    try {
      const delivery = deliveryOf({ ...site, ...own }, deps);
      const { productLogin } = delivery.site;
      const name = join(out, fileNameOf(productLogin));
      const places = placesOf(settingsOnly ? name : `${name}.img`, settingsOnly);
      const paths = pathsOf(places).map(asAnySystemSeesIt);
      const before = paths.map((path) => makerOf.get(path)).find((maker) => maker !== undefined);
      if (before !== undefined)
        throw new Error(`the files of product ${productLogin} would be those of line ${before}.`);
      for (const path of paths) makerOf.set(path, line);
      return [{ ...delivery, ...places }];
    } catch (error) {
      problems.push(`line ${line}: ${problemOf(error)}`);
      return [];
    }
  });
  if (problems.length === 0) return deliveries;
  const shown = problems.slice(0, MAX_SHOWN).join(' ');
  const more = problems.length > MAX_SHOWN ? ` And ${problems.length - MAX_SHOWN} more.` : '';
  throw badSetting(`${batch.file}: ${shown}${more} Nothing was written.`);
}

function deliveryOf(request: SiteRequestOfOne, deps: PlanDeps): Pick<Delivery, 'site' | 'boardConfig' | 'productKey'> {
  const { productKey = null, ...rest } = request;
  const site = siteOf(wholeOf(rest), deps);
  const problem = productKey === null ? null : productCodeProblem(productKey, 'product key');
  if (problem !== null) throw badSetting(`productKey (--product-key) ${problem}.`);
  return { site, boardConfig: boardConfigOf(site, deps.profiles), productKey };
}

function wholeOf(request: Omit<SiteRequestOfOne, 'productKey'>): SiteRequest {
  const { server, product, enrolment, board } = request;
  if (server === undefined)
    throw missing('server', 'serverUrl', 'the address of the server, such as wss://gate.example.com');
  if (product === undefined)
    throw missing('product', 'productLogin', 'as "relaygate-server product create" printed it');
  if (enrolment === undefined)
    throw missing('enrolment', 'enrolmentCode', 'as "relaygate-server product create" printed it');
  if (board === undefined) throw missing('board', 'board', 'a name of "relayctl board list"');
  return { ...request, server, product, enrolment, board };
}

function missing(option: string, column: string, what: string): RelaygateError {
  return badUsage(`--${option} (column ${column}) is missing: ${what}.`);
}

/** Windows and macOS know no capitals in names, and Windows no dots at their end. */
function asAnySystemSeesIt(path: string): string {
  return path.toLowerCase().replace(/\.+$/, '');
}

/** A login that is all dots would name another folder. */
function fileNameOf(productLogin: string): string {
  return /^\.+$/.test(productLogin) ? `product${productLogin}` : productLogin;
}

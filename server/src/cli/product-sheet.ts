import { isoTime } from '@relaygate/shared';
import type { Association, InputRecord, OutputRecord, ProductRecord, ProductSummary } from '../products/product-store';
import { shortTime, yesNo } from './format';
import { sheet, table } from './table';

/** `null`: not known, because the server died before the link went down. */
export type Connected = boolean | null;

/** `association list` has all of them. */
export const MAX_CLIENTS_SHOWN = 100;

/** I11: after the server died, the database may still show a link as up. */
export function connectedNow({ connected }: Pick<ProductSummary, 'connected'>, serverRuns: boolean): Connected {
  return connected && !serverRuns ? null : connected;
}

/** The text of `product show`. States are the last known ones (I11). */
export function productText(
  product: ProductRecord,
  connected: Connected,
  associations: readonly Association[],
): string {
  const { replacedAtMs } = product;
  const lines = sheet([
    ['Product login', product.productLogin],
    ['Activated', yesNo(product.activated)],
    ['Clients', String(product.clients)],
    ['Created', shortTime(product.createdAtMs)],
    ['Enrolled', yesNo(product.enrolled)],
    ['Connected', connectedText(connected, product.lastSeenAtMs)],
    ['Agent version', product.agentVersion ?? '-'],
    ...product.outputs.flatMap(lockLine),
    ...faultsOf(product).map((fault) => ['Fault', fault] as const),
  ]);
  const headings = ['OUTPUT', 'ACTIVATED', 'NAME', 'MODE', 'STATE', 'PULSE MS', 'REPORTED'];
  const replaced =
    replacedAtMs === null
      ? ''
      : `\nTwo devices hold this device's key: at ${shortTime(replacedAtMs)} one linked again that another had replaced.\nIs a memory card a copy? 'product revoke-device ${product.productLogin}' shuts both out; enrol the right one anew.`;
  const outputs = table(headings, product.outputs.map(outputRow));
  return [`${lines}${replaced}`, outputs, ...inputsText(product), ...clientsText(product, associations)].join('\n\n');
}

function inputsText({ inputs }: ProductRecord): string[] {
  return inputs.length === 0 ? [] : [table(['INPUT', 'NAME', 'KIND', 'STATE', 'REPORTED'], inputs.map(inputRow))];
}

function inputRow({ numInput, name, kind, state, observedAtMs }: InputRecord): string[] {
  return [String(numInput), name, kind, state ?? '-', shortTime(observedAtMs)];
}

function clientsText({ productLogin, clients }: ProductRecord, associations: readonly Association[]): string[] {
  if (associations.length === 0) return [];
  const rows = associations.map(({ clientName, clientId, clientActive }) => [
    clientName,
    clientId,
    yesNo(clientActive),
  ]);
  const left = clients - associations.length;
  const more = left > 0 ? `\n${left} more: 'association list --product ${productLogin}' has them all.` : '';
  return [`${table(['CLIENT', 'CLIENT ID', 'ACTIVE'], rows)}${more}`];
}

function connectedText(connected: Connected, lastSeenAtMs: number | null): string {
  if (connected === null) return `not known: the server does not run; linked at ${shortTime(lastSeenAtMs)}`;
  return connected ? `yes, since ${shortTime(lastSeenAtMs)}` : `no, last seen ${shortTime(lastSeenAtMs, 'never')}`;
}

/** The JSON of `product show`. `clients` counts all associated clients; `associations` has the first ones. */
export function productJson(
  product: ProductRecord,
  connected: Connected,
  associations: readonly Association[],
): object {
  const { productLogin, activated, enrolled, clients, agentVersion, faults } = product;
  return {
    productLogin,
    activated,
    enrolled,
    connected,
    lastSeenAt: isoTime(product.lastSeenAtMs),
    createdAt: isoTime(product.createdAtMs),
    clients,
    associations: associations.map(({ productLogin: _login, ...client }) => client),
    agentVersion,
    faults,
    replacedAt: isoTime(product.replacedAtMs),
    outputs: product.outputs.map(({ observedAtMs, lockedUntilMs, version: _version, ...output }) => ({
      ...output,
      observedAt: isoTime(observedAtMs),
      lockedUntil: isoTime(lockedUntilMs),
    })),
    inputs: product.inputs.map(({ observedAtMs, ...input }) => ({ ...input, observedAt: isoTime(observedAtMs) })),
  };
}

/** As last reported; the time may be over. */
function lockLine({ numOutput, lockedUntilMs }: OutputRecord): [string, string][] {
  return lockedUntilMs === null
    ? []
    : [['Locked', `output ${numOutput} until ${shortTime(lockedUntilMs)}, by a technician`]];
}

function faultsOf({ faults }: ProductRecord): string[] {
  return faults.length === 0 ? ['none'] : faults;
}

function outputRow({ numOutput, activated, name, mode, state, pulseMs, observedAtMs }: OutputRecord): string[] {
  const known = [name, mode, state, pulseMs].map((value) => (value === null ? '-' : String(value)));
  return [String(numOutput), yesNo(activated), ...known, shortTime(observedAtMs, 'never')];
}

/** Sites as a table: a line each, as "relaygate-server product create --count 100 --csv" prints them, and more columns. */
import { badSetting } from '@relaygate/device-agent/runtime/complaint';
import { problemOf } from '@relaygate/device-agent/runtime/problem';
import { RelaygateError } from '@relaygate/shared';
import { CsvError, parse } from 'csv-parse/sync';
import type { SiteRequest } from './site-plan';

/** By the column's name; what a line leaves empty is as the options say. */
const COLUMNS = {
  productLogin: 'product',
  productKey: 'productKey',
  enrolmentCode: 'enrolment',
  serverUrl: 'server',
  serverName: 'serverName',
  board: 'board',
  port: 'port',
  addresses: 'addresses',
  hostname: 'hostname',
  timeServers: 'timeServers',
  ssid: 'ssid',
  passphrase: 'passphrase',
  wifiOpen: 'wifiOpen',
  country: 'country',
  outputs: 'outputs',
  inputs: 'inputs',
  console: 'console',
  webButton: 'webButton',
  webFor: 'webFor',
} as const satisfies Record<string, keyof SiteRequest | 'productKey'>;
type Column = keyof typeof COLUMNS;

export interface SiteLine {
  /** From 1 on, as an editor counts them. */
  line: number;
  request: Partial<SiteRequest> & { productKey?: string };
}

interface Row {
  info: { lines: number };
  record: Record<string, string>;
}

/** Throws `bad-setting` with the number of the line that is no such line. */
export function readSiteTable(text: string, file: string): SiteLine[] {
  const rows = rowsOf(text, file);
  if (rows.length === 0) throw badSetting(`${file} names no sites.`);
  return rows.map(({ info, record }) => ({
    line: info.lines,
    request: Object.fromEntries(
      Object.entries(record).flatMap(([column, value]) =>
        isColumn(column) && value
          ? [[COLUMNS[column], column === 'wifiOpen' ? isYes(value, info.lines, file) : value]]
          : [],
      ),
    ),
  }));
}

function isYes(value: string, line: number, file: string): boolean {
  if (value === 'yes' || value === 'no') return value === 'yes';
  throw badSetting(`${file}: line ${line}: wifiOpen is yes or no, not "${value}".`);
}

function rowsOf(text: string, file: string): Row[] {
  try {
    return parse<Row>(text, {
      bom: true,
      delimiter: delimiterOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      trim: true,
      skip_empty_lines: true,
      info: true,
      columns: (header: string[]) => checkedHeader(header, file),
    });
  } catch (error) {
    if (error instanceof RelaygateError) throw error;
    const line = error instanceof CsvError ? ` line ${String(error.lines)}:` : '';
    throw badSetting(`${file}:${line} ${problemOf(error)}.`, error);
  }
}

/** Spreadsheets write semicolons where the comma is for decimals. No column has one in its name. */
function delimiterOf(text: string): string {
  const [header = ''] = text.split(/[\r\n]/, 1);
  return header.includes(';') ? ';' : ',';
}

function checkedHeader(header: string[], file: string): string[] {
  const unknown = header.find((column) => !isColumn(column));
  const twice = header.find((column, n) => header.indexOf(column) !== n);
  if (unknown === undefined && twice === undefined) return header;
  const why = unknown === undefined ? `column "${twice}" is there twice` : `there is no column "${unknown}"`;
  throw badSetting(`${file}: line 1: ${why}; there are ${Object.keys(COLUMNS).join(', ')}.`);
}

function isColumn(name: string): name is Column {
  return Object.hasOwn(COLUMNS, name);
}

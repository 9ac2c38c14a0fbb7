import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { certificateProblem } from '@relaygate/device-agent/platform/certificate-problem';
import { folderForAll } from '../../../support/processes/fresh-folder';

const DAY_MS = 86_400_000;

const folder = folderForAll('rg-ca-');
/** When all certificates are there, which are valid from the second in which they were made. */
let nowMs: number;
const at = (name: string): string => join(folder, name);
const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { stdio: 'ignore' });
const pemOf = (name: string): string => readFileSync(at(`${name}.pem`), 'utf8');

const newKey = (name: string): string[] => {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', at(`${name}.key`)];
};
const VALID_DAYS = ['-days', '30'];

/** One of its own, valid from now. */
function selfSigned(name: string, isAuthority: boolean, ...more: string[]): void {
  const basic = ['-addext', `basicConstraints=critical,CA:${isAuthority ? 'TRUE' : 'FALSE'}`];
  const request = ['-subj', `/O=Gates/CN=${name}`, ...newKey(name), ...basic, ...more];
  openssl('req', '-x509', ...VALID_DAYS, ...request, '-out', at(`${name}.pem`));
}

beforeAll(() => {
  selfSigned('authority', true);
  selfSigned('alone', false);
  selfSigned('signing-nothing-else', false, '-addext', 'keyUsage=critical,digitalSignature');
  openssl('req', ...newKey('server'), '-subj', '/CN=server', '-out', at('server.csr'));
  const signed = ['-CA', at('authority.pem'), '-CAkey', at('authority.key'), '-set_serial', '1', ...VALID_DAYS];
  openssl('x509', '-req', '-in', at('server.csr'), ...signed, '-out', at('server.pem'));
  writeFileSync(at('authority.ext'), 'basicConstraints=critical,CA:TRUE');
  const asAuthority = ['-extfile', at('authority.ext'), '-out', at('between.pem')];
  openssl('x509', '-req', '-in', at('server.csr'), ...signed, ...asAuthority);
  nowMs = Date.now();
});

describe('certificates that a device is to trust', () => {
  test.each(['authority', 'alone', 'signing-nothing-else'])(
    'may be an authority, or a server that signs for itself: %s',
    (name) => {
      expect(certificateProblem(pemOf(name), nowMs)).toBeNull();
    },
  );

  test("are not a server's own, which its authority has signed", () => {
    const problem = `holds "CN=server", which is no authority's but a server's own: give that of its issuer, "O=Gates CN=authority"`;
    expect(certificateProblem(pemOf('server'), nowMs)).toBe(problem);
    expect(certificateProblem(pemOf('authority') + pemOf('server'), null)).toBe(problem);
  });

  test('lead to an authority that signs for itself: by one between alone no link is trusted', () => {
    const problem =
      'holds no authority that signs for itself, without which no link is trusted: add that of the issuer, "O=Gates CN=authority"';
    expect(certificateProblem(pemOf('between'), nowMs)).toBe(problem);
    expect(certificateProblem(pemOf('between'), null)).toBe(problem);
    expect(certificateProblem(pemOf('between') + pemOf('authority'), nowMs)).toBeNull();
  });

  test('are valid today', () => {
    const of = (days: number): string | null => certificateProblem(pemOf('authority'), nowMs + days * DAY_MS);
    expect(of(29)).toBeNull();
    expect(of(31)).toMatch(/^holds "O=Gates CN=authority", which expired on \d{4}-\d\d-\d\d: ask the operator/);
    expect(of(-1)).toMatch(/which is not valid before \d{4}-\d\d-\d\d; check the clock of this computer$/);
  });

  test('are not judged by a clock that nobody has set', () => {
    expect(certificateProblem(pemOf('authority'), null)).toBeNull();
  });

  test('can be read', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(certificateProblem(pem, null)).toMatch(/^is no certificate \(/);
    expect(certificateProblem('', null)).toBe('holds no certificate');
  });
});

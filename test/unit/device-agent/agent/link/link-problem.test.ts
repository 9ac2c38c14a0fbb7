import { describe, expect, test } from '@jest/globals';
import { problemOfCode } from '@relaygate/device-agent/agent/link/close-code';
import { type LinkCause, linkCauseOf, linkProblemOf } from '@relaygate/device-agent/agent/link/link-problem';
import { isWithin, LINK, linkText } from '@relaygate/device-agent/locales/en/link';
import { linkTextInFrench } from '@relaygate/device-agent/locales/fr/link';
import { CLOSE } from '@relaygate/shared';

const error = (code: string, message: string): Error => Object.assign(new Error(message), { code });
const CASES: [LinkCause, Error, RegExp][] = [
  ['name-unknown', error('ENOTFOUND', 'getaddrinfo ENOTFOUND gate.example'), /does not resolve \(.*gate\.example\)/],
  ['no-name-server', error('EAI_AGAIN', 'getaddrinfo EAI_AGAIN gate.example'), /no name server/],
  ['nothing-listens', error('ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.1:443'), /refused.*192\.0\.2\.1:443/],
  ['nothing-listens', error('ECONNREFUSED', ''), /refused.*\(ECONNREFUSED\)/],
  ['no-way', error('ENETUNREACH', 'connect ENETUNREACH 192.0.2.1:443'), /no way/],
  ['silent', error('ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443'), /does not answer/],
  ['silent', new Error('Opening handshake has timed out'), /does not answer/],
  ['not-trusted', error('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'), /certificate is not trusted/],
  ['not-trusted', error('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify'), /certificate is not trusted/],
  ['other-name', error('ERR_TLS_CERT_ALTNAME_INVALID', 'Host: a. is not in b'), /another name/],
  ['expired', error('CERT_HAS_EXPIRED', 'certificate has expired'), /expired/],
  ['clock-behind', error('CERT_NOT_YET_VALID', 'certificate is not yet valid'), /check this device's clock$/],
  ['no-relaygate', new Error('Unexpected server response: 404'), /no Relaygate server \(.*404\)/],
  ['no-tls', error('EPROTO', 'write EPROTO 80AC:error:0A00010B:SSL routines'), /not speak TLS \(EPROTO\)$/],
  ['broken', error('ECONNRESET', 'read ECONNRESET'), /broke/],
  ['other', error('EWHAT', 'something new'), /^something new$/],
];

describe('why there is no link', () => {
  test.each(CASES)('%s, of %p', (cause, failure, words) => {
    const problem = linkProblemOf(failure);
    expect(linkText(problem)).toMatch(words);
    expect(linkCauseOf(failure)).toBe(cause);
    expect(problem.cause).toBe(cause);
  });

  test.each(Object.keys(LINK) as (keyof typeof LINK)[])(
    '"%s" has French words, with the details of the other side',
    (cause) => {
      const problem = { cause, details: 'ECONNRESET' };
      expect(linkText(problem)).toContain(`${LINK[cause]} `);
      expect(linkTextInFrench(problem)).not.toBe(linkText(problem));
      expect(linkTextInFrench(problem)).toMatch(isWithin(cause) ? /\S$/ : /\S \(ECONNRESET\)$/);
    },
  );

  test.each(Object.entries(CLOSE))('the close code %s has a cause where it has words', (_name, code) => {
    expect(problemOfCode(code)?.cause).not.toBe('other');
  });

  test('what the other side says comes out printable', () => {
    expect(linkText(linkProblemOf(new Error('\x1b[2Jevil\n')))).toBe('?[2Jevil?');
  });
});

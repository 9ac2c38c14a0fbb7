/** Certificates as PEM (RFC 7468), read without a regular expression: a card's file may hold anything. */
import type { Parsed } from './schema';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;

/** Each certificate with its two boundary lines. The problem is a phrase to follow the name of the text. Takes linear time. */
export function certificatesIn(text: string): Parsed<string[]> {
  const certificates: string[] = [];
  for (let at = 0; ; ) {
    const begin = text.indexOf(BEGIN, at);
    const between = text.slice(at, begin < 0 ? undefined : begin).trim();
    if (between !== '') return { ok: false, problem: otherProblem(between) };
    if (begin < 0) break;
    const end = text.indexOf(END, begin);
    if (end < 0) return { ok: false, problem: `is cut short: ${END} is missing` };
    if (!BASE64.test(text.slice(begin + BEGIN.length, end)))
      return { ok: false, problem: `has characters that are not base64 in certificate ${certificates.length + 1}` };
    at = end + END.length;
    certificates.push(text.slice(begin, at));
  }
  return certificates.length > 0 ? { ok: true, value: certificates } : { ok: false, problem: 'holds no certificate' };
}

function otherProblem(text: string): string {
  return text.includes('PRIVATE KEY-----')
    ? 'holds a private key, which must stay where it is: give only the certificate'
    : 'holds something else than certificates';
}

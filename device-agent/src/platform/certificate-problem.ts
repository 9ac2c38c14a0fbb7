/** Whether certificates can be what a device trusts. */

import { X509Certificate } from 'node:crypto';
import { certificatesIn } from '@relaygate/shared/pem';
import { oneLine } from '@relaygate/shared/plain-text';
import { problemOf } from '../runtime/problem';

/**
 * The problem as a phrase; null: every certificate of the PEM text is an authority's, or its own. `nowMs`: the wall clock;
 * null: it cannot be relied on, so nobody asks whether they have expired.
 */
export function certificateProblem(pem: string, nowMs: number | null): string | null {
  const certificates = certificatesIn(pem);
  if (!certificates.ok) return certificates.problem;
  try {
    const read = certificates.value.map((text) => new X509Certificate(text));
    for (const certificate of read) {
      const problem = problemOfOne(certificate, nowMs);
      if (problem !== null) return problem;
    }
    return read.some(isSelfIssued) ? null : unendedProblem(read.at(-1));
  } catch (error) {
    return `is no certificate (${problemOf(error)})`;
  }
}

function unendedProblem(last: X509Certificate | undefined): string {
  const issuer = nameIn(last?.issuer);
  return `holds no authority that signs for itself, without which no link is trusted: add that of the issuer, "${issuer}"`;
}

function problemOfOne(certificate: X509Certificate, nowMs: number | null): string | null {
  const { ca, subject, issuer, validFrom, validTo } = certificate;
  const name = `holds "${nameIn(subject)}"`;
  if (!ca && !isSelfSigned(certificate))
    return `${name}, which is no authority's but a server's own: give that of its issuer, "${nameIn(issuer)}"`;
  if (nowMs === null) return null;
  if (Date.parse(validTo) < nowMs)
    return `${name}, which expired on ${dayOf(validTo)}: ask the operator of the server for the one that is in use now`;
  if (Date.parse(validFrom) > nowMs)
    return `${name}, which is not valid before ${dayOf(validFrom)}; check the clock of this computer`;
  return null;
}

/** Such a certificate is trusted as it is, even if it does not name itself an authority, and whatever its key is for. */
function isSelfSigned(certificate: X509Certificate): boolean {
  return isSelfIssued(certificate) && certificate.verify(certificate.publicKey);
}

/** Nobody checks the signature of an authority that ends a chain. */
function isSelfIssued({ subject, issuer }: X509Certificate): boolean {
  return subject === issuer;
}

/** Node puts each part of a name into a line of its own. */
function nameIn(name: string | undefined): string {
  return oneLine(name ?? '').replaceAll('"', "'");
}

function dayOf(time: string): string {
  return new Date(time).toISOString().slice(0, 10);
}

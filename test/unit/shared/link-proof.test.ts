/** Both sides of ours against the vectors that are published for others. */
import { describe, expect, test } from '@jest/globals';
import { ed25519Identity } from '@relaygate/device-agent/platform/ed25519-identity';
import { isProofValid } from '@relaygate/server/devices/link-opening';
import { proofText, readDeviceFrame } from '@relaygate/shared';
import { PROOF_VECTORS, type ProofVector } from '../../support/link-protocol/vectors';

const { accepted, refused } = PROOF_VECTORS;

function isProofValidTo(
  serverName: string,
  { publicKey, productLogin, deviceNonce, serverNonce, signature }: ProofVector,
) {
  const rest = { agentVersion: '1', bootId: 'b', instanceId: 'i' };
  const hello = { type: 'hello', publicKey, productLogin, deviceNonce, ...rest } as const;
  const proof = { type: 'proof', signature } as const;
  // Vectors that the gateway would not even read would prove nothing about it.
  for (const message of [hello, proof]) expect(readDeviceFrame(JSON.stringify(message)).kind).toBe('message');
  return isProofValid(serverName, hello, serverNonce, proof);
}

describe('the signed challenge of shared/vectors/link-proof.json', () => {
  test.each(accepted)('the text that is signed: $case', ({ text, ...vector }) => {
    expect(proofText(vector)).toBe(text);
  });

  test.each(accepted)('the agent’s signature: $case', ({ seed, publicKey, signature, ...subject }) => {
    const identity = ed25519Identity(Buffer.from(seed, 'base64url'));
    expect(identity.publicKey).toBe(publicKey);
    expect(identity.prove(subject)).toBe(signature);
  });

  test.each(accepted)('the server accepts it: $case', (vector) => {
    expect(isProofValidTo(vector.serverName, vector)).toBe(true);
  });

  test.each(accepted)('a server of another name refuses it: $case', (vector) => {
    expect(isProofValidTo(`${vector.serverName}2`, vector)).toBe(false);
  });

  test.each(refused)('the server refuses it: $case', (vector) => {
    expect(isProofValidTo(vector.serverName, vector)).toBe(false);
  });
});

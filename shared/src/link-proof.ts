import { LINK_SUBPROTOCOL } from './limits';

/** What the device's Ed25519 key signs; the members have the form that they have in the messages. */
export interface ProofSubject {
  /** The server's name in the signer's own settings, so that a signature for one server is not valid at another. */
  serverName: string;
  productLogin: string;
  publicKey: string;
  deviceNonce: string;
  serverNonce: string;
}

/**
 * The signed text: six lines in UTF-8, each ended by \n. Nonces from both sides make it fresh. The schemas of the members, and
 * of the setting `serverName`, allow no line breaks.
 */
export function proofText(subject: ProofSubject): string {
  const { serverName, productLogin, publicKey, deviceNonce, serverNonce } = subject;
  return [LINK_SUBPROTOCOL, serverName, productLogin, publicKey, deviceNonce, serverNonce, ''].join('\n');
}

import { LINK_SUBPROTOCOL } from './limits';

/** What the device's Ed25519 key signs; all members as they stand in the messages. */
export interface ProofSubject {
  /** The server's name by the signer's own settings, so a signature made for one server is worth nothing at another. */
  serverName: string;
  productLogin: string;
  publicKey: string;
  deviceNonce: string;
  serverNonce: string;
}

/**
 * The signed text: six lines in UTF-8, each ended by \n. Nonces from both sides make it fresh. The members
 * hold no line breaks (their schemas see to that, and settings refuse them in the server's name).
 */
export function proofText(subject: ProofSubject): string {
  const { serverName, productLogin, publicKey, deviceNonce, serverNonce } = subject;
  return [LINK_SUBPROTOCOL, serverName, productLogin, publicKey, deviceNonce, serverNonce, ''].join('\n');
}

import type { ProofReply } from '@relaygate/device-agent/agent/technician/local-messages/proof';
import type { TlsBrowser } from './tls-browser';

/**
 * What a technician with a phone does, and each relay is the right one. `onClick`: after each output's clicks.
 * Resolves with the device's answer.
 */
export async function proveByPage(
  phone: TlsBrowser,
  by: string,
  onClick: (numOutput: number) => Promise<void> = async () => {},
): Promise<unknown> {
  const { wiring, names } = await asked<ProofReply>(phone, 'proof', {});
  for (const numOutput of names.keys()) {
    await asked(phone, 'click', { numOutput });
    await onClick(numOutput);
  }
  const answers = names.map((_name, numOutput) => ({ relay: numOutput + 1, isOn: false }));
  return asked(phone, 'prove', { by, wiring, answers });
}

async function asked<Reply>(phone: TlsBrowser, type: string, body: object): Promise<Reply> {
  const { status, text } = await phone.act(type, body);
  if (status !== 200) throw new Error(`${type}: ${status} ${text}`);
  return JSON.parse(text).value;
}

/** Texts that people have written in an editor of theirs. */
import { isUtf8 } from 'node:buffer';
import { badSetting } from '@relaygate/device-agent/runtime/complaint';

const LINE_FEED = 0x0a;
/** A sequence of 128 bytes or more (X.690). No text begins so: its second byte is no sign. */
const DER = [0x30, 0x82];

/** Without a byte order mark. Throws `bad-setting` with the line that is in another encoding than UTF-8. */
export function utf8Text(bytes: Uint8Array, file: string): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    throw badSetting(`${file} is in UTF-16: save it as UTF-8 ("Encoding" in the editor's dialogue).`);
  if (DER.every((byte, n) => bytes[n] === byte))
    throw badSetting(`${file} is in DER, not in PEM: "openssl x509 -inform der -in ${file} -out ca.pem" makes it PEM.`);
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found + 1;
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end;
  }
  throw badSetting(
    `${file}: line ${line} is not in UTF-8 but perhaps in Latin-1: save the file as UTF-8 ("Encoding" in the editor's dialogue).`,
  );
}

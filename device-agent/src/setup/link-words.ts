/** Why a device is not linked, for somebody at a PC who has its card in hand. */

export interface Words {
  /** What is, in one sentence. */
  headline: string;
  /** What to do about it; empty: nothing. */
  advice: string;
}

interface Row {
  /** In the problem that the agent tells. */
  sign: RegExp;
  headline: string;
  advice: string;
}

const NO_CLOCK = 'The device has no clock of its own: it takes the time from the network (NTP, UDP port 123).';
const ROWS: readonly Row[] = [
  {
    sign: /not valid yet|CERT_NOT_YET_VALID/i,
    headline: "The clock of the device is behind the server's certificate.",
    advice: `${NO_CLOCK} It is tried again by itself.`,
  },
  {
    sign: /certificate has expired|CERT_HAS_EXPIRED/i,
    headline: "The server's certificate has expired, or the clock of the device is wrong.",
    advice: `Have the server's operator renew it. ${NO_CLOCK}`,
  },
  {
    sign: /altnames|ERR_TLS_CERT_ALTNAME_INVALID/i,
    headline: "The server's certificate is for another name than serverUrl has.",
    advice: "Write the name of the certificate into serverUrl, or have the server's operator correct the certificate.",
  },
  {
    sign: /self[- ]signed|unable to (verify|get)|issuer|UNABLE_TO/i,
    headline: "The server's certificate is not one that the device trusts.",
    advice: 'Put the certificate of its authority into caCertificate, or look whether serverUrl is the right one.',
  },
  {
    sign: /ENOTFOUND|EAI_AGAIN|EAI_NONAME/,
    headline: "The server's name cannot be found.",
    advice: 'Look at serverUrl for a typing error, and whether the network at the site gives out a name server.',
  },
  {
    sign: /ECONNREFUSED/,
    headline: 'Nobody listens at the address of the server.',
    advice: "Look at serverUrl and its port, and ask the server's operator whether it runs.",
  },
  {
    sign: /ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|timed? ?out/i,
    headline: 'The server does not answer.',
    advice: 'Look whether the network at the site lets the device out to that address and port.',
  },
  {
    sign: /refused this device/,
    headline: 'The server refused this device: product login, enrolment code or key is wrong.',
    advice:
      "Compare productLogin with the server's. A code is for one device: have the operator make a new one, and write it into " +
      'enrolmentCode.',
  },
  {
    sign: /was revoked/,
    headline: 'This device was revoked on the server.',
    advice: "Ask the server's operator; a new enrolment code links it again.",
  },
  {
    sign: /taken over/,
    headline: 'Another device with the key of this one is linked.',
    advice: 'The card was copied: one of the two has to go.',
  },
  {
    sign: /calls itself/,
    headline: 'The server has another name than this device was told.',
    advice: "Write the server's RELAYGATE_SERVER_NAME into serverName.",
  },
  {
    sign: /Unexpected server response/i,
    headline: 'What answers at the address of the server is no Relaygate server.',
    advice: 'Look at serverUrl and its port.',
  },
];

/** `problem`: as `relayctl status` shows it. */
export function linkWords(problem: string): Words {
  const row = ROWS.find(({ sign }) => sign.test(problem));
  if (row) return { headline: `${row.headline} (${problem})`, advice: row.advice };
  return { headline: `The server cannot be reached: ${problem}.`, advice: 'It is tried again by itself.' };
}

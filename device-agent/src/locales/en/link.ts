/** What a technician is shown first; details follow in brackets. */
export const LINK = {
  'not-tried': 'not tried yet',
  'name-unknown': "the server's name does not resolve",
  'no-name-server': 'no name server answers: is this device in a network?',
  'no-way': 'no way leads to the server from this network',
  'nothing-listens': "refused: nothing listens at the server's address and port",
  silent: 'the server does not answer',
  'no-handshake': 'no link within',
  'gone-silent': 'nothing heard for',
  broken: 'the connection broke',
  'no-tls': 'what listens there does not speak TLS',
  'not-trusted': "the server's certificate is not trusted",
  'other-name': "the server's certificate is for another name",
  expired: "the server's certificate has expired, or this device's clock is ahead",
  'clock-behind': "the server's certificate is not valid yet: check this device's clock",
  'no-relaygate': 'what answers there is no Relaygate server',
  'other-server': 'the server calls itself',
  'epoch-too-far': "the server's link epoch is too far above the last one",
  'server-away': 'the server went away',
  'server-restarts': 'the server restarts',
  'not-accepted': 'the server refused this device: product login, enrolment code or key is wrong',
  'gave-up': 'the server gave up waiting for this device',
  replaced: 'another link with the key of this device has taken over',
  revoked: 'this device was revoked on the server',
  'too-often': 'this device has linked too often; the server makes it wait',
  'try-later': 'the server cannot take the link now',
};

export function linkText({ cause, details }: { cause: keyof typeof LINK | 'other'; details: string }): string {
  if (cause === 'other') return details;
  if (details === '') return LINK[cause];
  return `${LINK[cause]} ${isWithin(cause) ? details : `(${details})`}`;
}

/** Whether the details end the English sentence, and belong to no other. */
export function isWithin(cause: keyof typeof LINK): boolean {
  return cause === 'no-handshake' || cause === 'gone-silent' || cause === 'other-server';
}

/** What a member of relaygate-site.json may be, by its name, to be read after "is". */
import { MAX_GPIO_OFFSET, MAX_MODBUS_ADDRESS, MAX_OUTPUTS, WEB_MAX_MS, WEB_MIN_MS } from '@relaygate/shared';
import { allowedValue } from '../../files/allowed-values';

const ALLOWED: Readonly<Record<string, string>> = {
  board: 'an object with profile (a name of "relayctl board list"), or with settings as in settings.json',
  addresses: `a list of the boards' addresses on the bus, 1 to ${MAX_MODBUS_ADDRESS}`,
  acceptBootLevel: 'true or false',
  settings: 'the board as in settings.json, such as {"kind":"gpio","lines":[17,27]}',
  outputs: `a list of at most ${MAX_OUTPUTS}, each like {"name":"Gate","mode":"impulse","pulseMs":700}`,
  inputs:
    'a list as in settings.json, each like {"kind":"contact","numInput":0,"name":"Gate closed"}; of "board.settings" each like {"line":24,"bias":"pull-up"}',
  hostname: '1 to 63 small letters, digits and hyphens',
  timeServers: 'a list of 1 to 4 names or addresses, such as ["192.168.1.1"]',
  caCertificate: 'the text of a PEM file, from -----BEGIN CERTIFICATE----- on',
  wifi: 'an object with ssid, passphrase and country',
  ssid: 'the name of the Wi-Fi network, 1 to 32 characters',
  passphrase: '8 to 63 printable characters, or 64 hexadecimal digits',
  country: 'two capital letters, such as "FR"',
  hidden: 'true or false',
  console:
    'an object with port, such as {"port":"/dev/serial0"}, and baud and language where they differ from 115200 and "fr"',
  port: 'the path of a serial port, such as "/dev/serial0"; of "board" as "relayctl board ports" shows it',
  web: 'an object with buttonLine, forMinutes, or both',
  buttonLine: `the line of a button to ground, on a Raspberry Pi its BCM number: a whole number from 0 to ${MAX_GPIO_OFFSET}`,
  forMinutes: `a whole number from ${WEB_MIN_MS / 60_000} to ${WEB_MAX_MS / 60_000}`,
  enrolmentCode: 'the code that "relaygate-server product create" has printed',
  pin: 'what relaygate-flash makes of a PIN',
};

/** null: no member of this name. */
export function allowedInSite(member: string): string | null {
  return Object.hasOwn(ALLOWED, member) ? (ALLOWED[member] ?? null) : allowedValue(member);
}

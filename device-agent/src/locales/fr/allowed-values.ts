/** What a setting of an output or an input may be, to be read after "doit être". */
import {
  MAX_BAUD,
  MAX_FEEDBACK_INPUT,
  MAX_GPIO_OFFSET,
  MAX_INPUTS,
  MAX_MODBUS_ADDRESS,
  MAX_ON_MAX_MS,
  MAX_OUTPUTS,
  MIN_BAUD,
  MODBUS_ANSWER_MAX_MS,
  MODBUS_ANSWER_MIN_MS,
  OUTPUT_NAME_MAX_CHARS,
  PULSE_MIN_MS,
} from '@relaygate/shared';
import {
  choicesOf,
  HAS_INPUTS,
  INPUT_SETTINGS,
  OUTPUT_SETTINGS,
  type OutputSetting,
  rangeOf,
} from '@relaygate/shared/device';
import type { AllowedMember } from '../../files/allowed-values';
import { known } from '../common';

const OTHERS: Readonly<Record<string, string>> = {
  name: `un texte de 1 à ${OUTPUT_NAME_MAX_CHARS} caractères qui montre quelque chose, sans caractères de contrôle`,
  maxOnMs: `un nombre entier : 0 (sans limite), ou de ${PULSE_MIN_MS} à ${MAX_ON_MAX_MS}`,
  interlock:
    'le nom d’un groupe, de 1 à 32 lettres, chiffres, points, tirets bas ou traits d’union mais pas « none », ou null',
  feedbackInput: `le numéro d’une entrée, de 0 à ${MAX_FEEDBACK_INPUT}, ou null`,
};
/** Code stands as it would be written, in straight quotes. */
const OF_SETTINGS: Record<AllowedMember, string> = {
  board: '{"kind":"simulated"}, ou {"kind":"gpio","lines":[...]} avec une ligne par sortie',
  kind: `${oneOf(Object.keys(HAS_INPUTS))} ; de « inputs », ${oneOf(choicesOf(INPUT_SETTINGS.kind.schema))}`,
  releaseOnDeath: 'true ou false',
  port: 'le chemin d’un port série, comme « relayctl board ports » le montre ; de « web », un nombre de 1 à 65535',
  baud: wholeNumber(MIN_BAUD, MAX_BAUD),
  parity: oneOf(['none', 'even', 'odd']),
  answerMs: wholeNumber(MODBUS_ANSWER_MIN_MS, MODBUS_ANSWER_MAX_MS),
  units: 'une liste des cartes du bus, comme [{"address":1,"relays":8}]',
  relays: 'le nombre de relais de la carte, un nombre entier à partir de 1',
  flashOn: 'true ou false',
  profile: 'le nom d’un profil de carte, comme « relayctl board list » le montre',
  chip: 'le nom d’une puce GPIO, de 1 à 31 caractères imprimables, comme « gpiodetect » le montre',
  lines: `pour chaque sortie, sa ligne sur la puce GPIO : des nombres entiers distincts de 0 à ${MAX_GPIO_OFFSET}`,
  inputs: `une liste d’au plus ${MAX_INPUTS}, chacune comme {"kind":"contact","numInput":0,"name":"Portail fermé"} ; de « board », chacune comme {"line":24,"bias":"pull-up"}`,
  line: `une ligne de la puce GPIO : un nombre entier de 0 à ${MAX_GPIO_OFFSET}, utilisé une fois`,
  bias: oneOf(['pull-up', 'pull-down', 'disabled']),
  outputs: `une liste de 1 à ${MAX_OUTPUTS} sorties`,
  requireProof: 'true ou false',
  console: 'un objet avec port, et baud et language s’ils diffèrent de 115200 et de « fr »',
  language: oneOf(['fr', 'en']),
  web: 'un objet avec port, address, buttonInput, buttonActiveLevel et hotspotSsid, tous facultatifs',
  address: `l’adresse d’une carte sur le bus, de 1 à ${MAX_MODBUS_ADDRESS} ; de « web », une adresse IP de cet appareil`,
  buttonInput: `le numéro d’une entrée de la carte, de 0 à ${MAX_FEEDBACK_INPUT}`,
  buttonActiveLevel: oneOf(['high', 'low']),
  hotspotSsid: 'de 1 à 32 caractères ASCII imprimables, sans espace au début ni à la fin',
  link: 'un objet avec serverUrl, serverName et productLogin',
  serverUrl: '« wss://hôte » ou « wss://hôte:port » (« ws:// » vers cet appareil seulement)',
  serverName: 'le RELAYGATE_SERVER_NAME du serveur, de 1 à 128 caractères imprimables sans espaces',
  serverCaFile: 'le chemin d’un fichier PEM',
  productLogin: 'de 1 à 64 lettres, chiffres, points, tirets bas ou traits d’union',
};
const SETTINGS: Readonly<Record<string, OutputSetting>> = { ...INPUT_SETTINGS, ...OUTPUT_SETTINGS };

/** What any member of settings.json may be, to be read after "est"; null: no member of this name. */
export function allowedInSettings(member: string): string | null {
  return known(OF_SETTINGS, member) ?? (Object.hasOwn(SETTINGS, member) ? allowedInFrench(member) : null);
}

export function allowedInFrench(member: string): string {
  const other = OTHERS[member];
  if (other !== undefined) return other;
  const schema = SETTINGS[member]?.schema;
  if (!schema) return 'autre chose';
  const range = rangeOf(schema);
  if (range) return wholeNumber(range.least, range.most);
  return schema.type === 'boolean' ? 'true ou false' : oneOf(choicesOf(schema));
}

function wholeNumber(least: number, most: number): string {
  return `un nombre entier de ${least} à ${most}`;
}

function oneOf(choices: readonly string[]): string {
  const quoted = choices.map((choice) => `« ${choice} »`);
  return `${quoted.slice(0, -1).join(', ')} ou ${quoted.at(-1)}`;
}

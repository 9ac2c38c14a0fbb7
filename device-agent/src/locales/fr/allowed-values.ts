/** What a setting of an output or an input may be, to be read after "doit être". */
import { MAX_FEEDBACK_INPUT, MAX_ON_MAX_MS, OUTPUT_NAME_MAX_CHARS, PULSE_MIN_MS } from '@relaygate/shared';
import { choicesOf, INPUT_SETTINGS, OUTPUT_SETTINGS, type OutputSetting, rangeOf } from '@relaygate/shared/device';

const OTHERS: Readonly<Record<string, string>> = {
  name: `un texte de 1 à ${OUTPUT_NAME_MAX_CHARS} caractères qui montre quelque chose, sans caractères de contrôle`,
  maxOnMs: `un nombre entier : 0 (sans limite), ou de ${PULSE_MIN_MS} à ${MAX_ON_MAX_MS}`,
  interlock:
    'le nom d’un groupe, de 1 à 32 lettres, chiffres, points, tirets bas ou traits d’union mais pas « none », ou null',
  feedbackInput: `le numéro d’une entrée, de 0 à ${MAX_FEEDBACK_INPUT}, ou null`,
};
const SETTINGS: Readonly<Record<string, OutputSetting>> = { ...INPUT_SETTINGS, ...OUTPUT_SETTINGS };

export function allowedInFrench(member: string): string {
  const other = OTHERS[member];
  if (other !== undefined) return other;
  const schema = SETTINGS[member]?.schema;
  if (!schema) return 'autre chose';
  const range = rangeOf(schema);
  if (range) return `un nombre entier de ${range.least} à ${range.most}`;
  if (schema.type === 'boolean') return 'true ou false';
  const choices = choicesOf(schema).map((choice) => `« ${choice} »`);
  return `${choices.slice(0, -1).join(', ')} ou ${choices.at(-1)}`;
}

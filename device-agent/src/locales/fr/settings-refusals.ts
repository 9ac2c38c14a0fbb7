import type { SettingsProblems } from '@relaygate/shared/device';
import type { Translated } from '../catalogue';
import type { SETTINGS_REFUSALS as ENGLISH } from '../en/settings-refusals';
import { allowedInSettings } from './allowed-values';

export const SETTINGS_REFUSALS: Translated<typeof ENGLISH> = {
  'settings-unreadable': '{path} ne peut pas être lu : {problem}.',
  'settings-missing':
    '{path} manque : cet appareil n’a pas encore de réglages ; écrivez-le comme device-agent/SETTINGS.md le montre.',
  'settings-no-json': '{path} n’est pas du JSON ({problem}) ; corrigez-le, ou remettez une copie.',
  'settings-wrong': ({ path, problem, member }) => `${path} : ${problem}${hintOf(member)}. Corrigez-le et redémarrez.`,
  'port-unfit': '{problem}.',
};

function hintOf(member: string | null): string {
  const allowed = member === null ? null : allowedInSettings(member);
  return allowed === null ? '' : ` ; ${member} est ${allowed}`;
}

/** The part of ajv's error that the French sentence needs. */
interface SchemaProblem {
  instancePath: string;
  keyword: string;
  params: { limit?: number; missingProperty?: string; additionalProperty?: string; tag?: string };
}

export const SETTINGS_PROBLEMS: Translated<SettingsProblems> & { 'of-schema': (values: SchemaProblem) => string } = {
  'line-twice': 'board.lines nomme deux fois la ligne {line}',
  'line-taken': 'board.inputs nomme la ligne {line}, qui sert déjà à autre chose',
  'address-twice': 'board.units nomme deux fois l’adresse {address}',
  'too-many-inputs': 'board.units a {inputs} entrées, et {most} au plus peuvent être lues',
  'lines-count': 'board.lines a {count} lignes pour {outputs} sorties',
  'units-count': 'board.units a {count} relais pour {outputs} sorties',
  'relays-count': 'board.relays donne {count} relais pour {outputs} sorties',
  'serial-polarity': 'outputs.{numOutput}.activeLevel doit être « high » sur une carte série',

  'board-without-inputs': '{member} est {input}, mais la carte du type {kind} n’a pas d’entrées',
  'no-inputs-set': '{member} est {input}, mais la carte n’a pas d’entrées ({from})',
  'no-such-input': '{member} est {input}, mais la carte a les entrées 0 à {last} ({from})',
  'input-is-feedback': '{member} : l’entrée {input} montre déjà la sortie {numOutput}',
  'input-has-meaning': '{member} : l’entrée {input} a déjà un rôle',

  'limit-short': 'outputs.{numOutput} : maxOnMs est 0 ou au moins {leastMs}',
  'only-on-off': 'outputs.{numOutput} : {members} ne vaut que pour une sortie on-off, et mode est impulse',

  'button-no-output': ({ numInput, numOutput, count }) =>
    `inputs.${numInput}.output est ${numOutput}, mais il y a ${count} sortie${count === 1 ? '' : 's'}`,
  'button-of-mode':
    'inputs.{numInput}.action est {action}, qui ne vaut que pour une sortie {mode}, ce que la sortie {numOutput} n’est pas',
  'hold-without-limit': 'inputs.{numInput}.action est hold, et la sortie {numOutput} n’a pas de maxOnMs',
  'hold-power-on': 'inputs.{numInput}.action est hold, et powerOn de la sortie {numOutput} n’est pas off',
  'hold-twice': 'inputs.{numInput} : la sortie {numOutput} a un autre bouton avec l’action hold',

  'console-on-board': 'console.port est le port de la carte de relais',
  'console-on-lines': ({ lines, line }) =>
    `console.port est l’UART des lignes ${lines.join(' et ')}, et la ligne ${line} est utilisée`,

  'of-schema': ({ instancePath, keyword, params }) => {
    const { limit, missingProperty, additionalProperty, tag } = params;
    const at = instancePath === '' ? '' : `${instancePath.slice(1).replaceAll('/', '.')} : `;
    switch (keyword) {
      case 'required':
        return `${at}il manque « ${missingProperty} »`;
      case 'additionalProperties':
        return `${at}« ${additionalProperty} » n’existe pas`;
      case 'discriminator':
        return `${at}« ${tag} » n’est aucun des types possibles`;
      case 'minimum':
        return `${at}doit être au moins ${limit}`;
      case 'maximum':
        return `${at}doit être au plus ${limit}`;
      case 'minItems':
        return `${at}doit avoir au moins ${limit} élément(s)`;
      case 'maxItems':
        return `${at}doit avoir au plus ${limit} élément(s)`;
      case 'uniqueItems':
        return `${at}contient deux fois la même valeur`;
      default:
        return `${at}valeur non permise`;
    }
  },
};

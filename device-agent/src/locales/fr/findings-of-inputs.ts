import type { InputStatus } from '../../agent/technician/local-messages/device';
import type { Translated } from '../catalogue';
import type { OF_INPUTS as ENGLISH } from '../en/findings-of-inputs';
import type { Sentences } from '../findings';
import { COMMON } from './common';

export const OF_INPUTS: Translated<typeof ENGLISH, Sentences> = {
  'inputs-unknown': { found: 'inconnues sans le service des relais et l’agent', cure: 'voir « programmes »' },
  'no-inputs': { found: 'aucune n’a de sens' },
  'inputs-read': ({ inputs }) => ({ found: inputsText(inputs) }),
  'inputs-unmoved': ({ inputs, contacts }) => ({
    found: `${inputsText(inputs)} ; sans changement depuis le démarrage : ${names(contacts)}`,
    means: 'personne ne sait encore si le câblage est bon',
    cure: 'ouvrez et fermez une fois, puis relancez',
  }),
  'inputs-ill': ({ inputs, texts, pressed }) => ({
    found: [
      ...texts,
      ...(pressed.length === 0 ? [] : [`Appuyé depuis le démarrage : ${names(pressed)}.`]),
      `Entrées : ${inputsText(inputs)}`,
    ].join(' '),
    means: 'un bouton dans cet état ne commande rien',
    cure: 'vérifiez le câblage, ainsi que activeLevel de « inputs » et bias de « board.inputs » dans settings.json',
  }),
};

function inputsText(inputs: readonly InputStatus[]): string {
  const texts = inputs.map(({ numInput, name, state, level }) => {
    const word = COMMON.inputStates[state ?? 'unknown'];
    const levelText = level === 'high' ? ', niveau haut' : ', niveau bas';
    return `${numInput} (${name}) ${word}${level === undefined ? '' : levelText}`;
  });
  return texts.join(' ; ');
}

function names(inputs: readonly InputStatus[]): string {
  return inputs.map(({ name }) => `« ${name} »`).join(', ');
}

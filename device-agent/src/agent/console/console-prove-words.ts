/** What the console says while somebody watches the relays, in each of its languages. */
export interface ProveWords {
  isProven(by: string, at: string): string;
  notProven: string;
  byWhom: string;
  reallyMove(count: number): string;
  willClick(relay: number, count: number, name: string): string;
  which: string;
  /** Has it clicked again. */
  again: string;
  isOn(relay: number): string;
  reallyRecord(by: string): string;
  proven(by: string, at: string): string;
  corrected: string;
  levelsHold: string;
  mustRestart: string;
  onceMore: string;
}

export const FRENCH_PROVE: ProveWords = {
  isProven: (by, at) => `Le câblage est prouvé, par ${by}, ${at}.`,
  notProven: "Le câblage n'est pas prouvé.",
  byWhom: 'Qui regarde les relais (nom) : ',
  reallyMove: (count) => `Ce qui est branché aux ${count} relais va bouger. Commencer ? (o/n) `,
  willClick: (relay, count, name) => `Le relais ${relay} sur ${count} (${name}) claque 3 fois.`,
  which: 'Lequel a claqué ? (numéro sur la carte, 0 = aucun, r = encore) : ',
  again: 'r',
  isOn: (relay) => `Le relais ${relay} est commandé coupé. Est-il activé, sa lampe allumée ? (o/n) `,
  reallyRecord: (by) => `Enregistrer ce qui a été vu, au nom de ${by} ? (o/n) `,
  proven: (by, at) => `Câblage prouvé par ${by}, ${at}.`,
  corrected: 'Les réglages étaient faux et sont corrigés :',
  levelsHold: 'Les niveaux sont en vigueur.',
  mustRestart: 'Les lignes le seront après : sudo systemctl restart relaygate-guard relaygate-agent',
  onceMore: "Rien n'est encore prouvé : recommencez.",
};

export const ENGLISH_PROVE: ProveWords = {
  isProven: (by, at) => `The wiring is proven, by ${by}, ${at}.`,
  notProven: 'The wiring is not proven.',
  byWhom: 'Who watches the relays (name): ',
  reallyMove: (count) => `Whatever hangs on the ${count} relays will move. Begin? (y/n) `,
  willClick: (relay, count, name) => `Relay ${relay} of ${count} (${name}) clicks 3 times.`,
  which: 'Which one clicked? (number on the board, 0 = none, r = again): ',
  again: 'r',
  isOn: (relay) => `Relay ${relay} is commanded off. Is it on now, its lamp lit? (y/n) `,
  reallyRecord: (by) => `Record what was seen, in the name of ${by}? (y/n) `,
  proven: (by, at) => `The wiring is proven by ${by}, ${at}.`,
  corrected: 'The settings were wrong and are corrected:',
  levelsHold: 'The levels are in force.',
  mustRestart: 'The lines will be after: sudo systemctl restart relaygate-guard relaygate-agent',
  onceMore: 'Nothing is proven yet: prove once more.',
};

/** The descriptions of the program's own board profiles (hardware/boards), by the profile's name. */
import type { ProfileText } from '../en/relayctl';

const COPY = 'Câblez ainsi votre propre carte, ou copiez ce fichier et modifiez-le.';
const LCUS = {
  source: 'manuel LCUS de LC Technology, et pilotes écrits par d’autres',
  notes: [
    'La carte n’accuse pas réception : quand elle ne peut pas non plus être interrogée, 200 veut dire que l’ordre a été écrit, et rien de plus.',
    'Sa puce USB n’a pas de numéro de série : le port porte le nom de la prise où elle est branchée.',
  ],
};

export const BOARD_PROFILES: Readonly<Record<string, ProfileText>> = {
  'generic-active-high': {
    title: '4 relais ou transistors qui se ferment au niveau haut',
    source: 'notre choix : des lignes tirées vers le bas au démarrage, voisines sur le connecteur, sans autre usage',
    notes: [COPY],
  },
  'generic-active-low': {
    title: '4 relais qui se ferment au niveau bas, comme sur la plupart des modules bleus',
    source: 'notre choix : des lignes tirées vers le haut au démarrage ; il y en a peu',
    notes: [
      'BCM 7 et 8 sont les sélections de puce de SPI : ne mettez pas dtparam=spi=on dans config.txt.',
      'Un module dont les entrées sont tirées à 5 V abîme le Raspberry Pi : alimentez ses entrées en 3,3 V (VCC à côté des entrées) et ses bobines en 5 V (JD-VCC).',
      COPY,
    ],
  },
  'generic-modbus-relays': {
    title: '4 relais qui parlent Modbus RTU, bobines 0 à 3',
    source: 'MODBUS Application Protocol V1.1b3 (modbus.org) : fonctions 1 et 5',
    notes: [
      'La bobine n est le relais n + 1, lue par la fonction 1 et écrite par la fonction 5.',
      'Le service des relais mesure les impulsions.',
    ],
  },
  'keyestudio-ks0212': {
    title: 'Keyestudio KS0212, carte à 4 relais',
    source: 'wiki Keyestudio KS0212 (wiki.keyestudio.com/KS0212_keyestudio_RPI_4-channel_Relay_Shield)',
    notes: [
      'BCM 4 est aussi la ligne par défaut de 1-Wire : avec dtoverlay=w1-gpio dans config.txt, le service des relais ne peut pas l’avoir.',
    ],
  },
  'lcus-1': { title: 'LCUS-1, 1 relais sur USB (LC Technology, CH340)', ...LCUS },
  'lcus-2': { title: 'LCUS-2, 2 relais sur USB (LC Technology, CH340)', ...LCUS },
  'lcus-4': { title: 'LCUS-4, 4 relais sur USB (LC Technology, CH340)', ...LCUS },
  'lcus-8': { title: 'LCUS-8, 8 relais sur USB (LC Technology, CH340)', ...LCUS },
  'pimoroni-automation-hat': {
    title: 'Pimoroni Automation HAT, 3 relais',
    source: 'Pimoroni, library/automationhat/__init__.py de github.com/pimoroni/automation-hat',
    notes: ['Ses entrées, sorties, voyants et entrées analogiques ne servent pas.'],
  },
  'sb-components-pirelay-v2': {
    title: 'SB Components PiRelay V2, 4 canaux',
    source: 'SB Components, README et PiRelay.py de github.com/sbcshop/PiRelay-V2',
    notes: [],
  },
  'waveshare-modbus-rtu-relay-8ch': {
    title: 'Waveshare Modbus RTU Relay, 8 canaux',
    source: 'manuel Waveshare Modbus RTU Relay (waveshare.com/wiki/Modbus_RTU_Relay)',
    notes: [
      'Elle se branche sur un adaptateur RS-485 : A sur A, B sur B, et GND sur GND si le câble est long.',
      'Plusieurs cartes sur un bus ont chacune leur adresse ; elles sont livrées avec l’adresse 1.',
      'La carte mesure elle-même les impulsions par pas de 100 ms, jusqu’à 3276,7 s.',
      'Supposé, et absent du texte du fabricant : un second flash-on relance l’impulsion, et un simple coil-off la termine. Essayez les deux avant de vous y fier.',
    ],
  },
  'waveshare-rpi-relay-board-b': {
    title: 'Waveshare RPi Relay Board (B), 8 canaux',
    source: 'manuel Waveshare RPi Relay Board (B) (waveshare.com/wiki/RPi_Relay_Board_(B))',
    notes: [
      'Les numéros imprimés sur la carte sont des numéros BCM.',
      'Chaque relais a un cavalier entre la carte et le connecteur ; sans lui, la ligne est libre.',
    ],
  },
  'waveshare-rpi-relay-board': {
    title: 'Waveshare RPi Relay Board, 3 canaux',
    source: 'manuel Waveshare RPi Relay Board (waveshare.com/wiki/RPi_Relay_Board)',
    notes: ['Les numéros imprimés sur la carte (25, 28, 29) sont des numéros wiringPi, et non BCM.'],
  },
};

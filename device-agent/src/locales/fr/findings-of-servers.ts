import type { LinkCause } from '../../agent/link/link-problem';
import type { Translated } from '../catalogue';
import type { OF_SERVERS as ENGLISH } from '../en/findings-of-servers';
import type { Sentences } from '../findings';
import { linkTextInFrench } from './link';

const ROUND_TRIP = '{url} répond, aller-retour en {roundTripMs} ms';
const NO_LINK = 'aucune liaison n’est possible';
const CERTIFICATE = {
  means: 'à partir de là, aucune liaison ne sera possible',
  cure: 'renouvelez le certificat du serveur',
};
const OFF_MEANS = 'les heures du journal et des preuves sont fausses ; les commandes n’en souffrent pas';
const SET_CLOCK =
  '« timedatectl set-ntp true », et vérifiez qu’un serveur de temps est joignable (port UDP 123) ; sur une carte de relaygate-flash, timeServers de relaygate-site.json en nomme un';

export const OF_SERVERS: Translated<typeof ENGLISH, Sentences> = {
  'name-known': { found: '{host} est {addresses}' },
  'name-unknown': {
    found: '{host} n’a pas d’adresse ({problem})',
    means: NO_LINK,
    cure: 'vérifiez le réseau et l’orthographe du nom dans link.serverUrl',
  },
  'server-answers': { found: ROUND_TRIP },
  'server-slow': {
    found: ROUND_TRIP,
    means: 'les commandes ont 4,5 s pour commencer, aller et retour compris',
    cure: 'vérifiez le réseau',
  },
  'server-away': ({ url, problem, serverCaFile }) => ({
    found: `${url} ne peut pas être joint : ${linkTextInFrench(problem)}`,
    means: NO_LINK,
    cure: cureOf(problem.cause, serverCaFile),
  }),
  'certificate-not-seen': { found: 'pas vu : pas de connexion', cure: 'voir « serveur »' },
  'no-certificate': { found: 'aucun : le serveur est sur cette machine' },
  'certificate-well': { found: 'expire le {ends}, dans {days} jours' },
  'certificate-ends': { found: 'expire le {ends}, dans {days} jours', ...CERTIFICATE },
  'clock-never-set': {
    found: '{now} : elle n’a pas été réglée depuis le démarrage',
    means: 'un certificat plus récent n’est pas encore valable, donc aucune liaison n’est possible',
    cure: `réglez-la : ${SET_CLOCK}`,
  },
  'clock-alone': { found: '{now} ; celle du serveur n’est pas connue', cure: 'voir « serveur »' },
  'clock-in-step': { found: '{now}, d’accord avec le serveur' },
  'clock-ahead': {
    found: '{now}, {seconds} s d’avance sur le serveur',
    means: OFF_MEANS,
    cure: `réglez-la : ${SET_CLOCK}`,
  },
  'clock-behind': {
    found: '{now}, {seconds} s de retard sur le serveur',
    means: OFF_MEANS,
    cure: `réglez-la : ${SET_CLOCK}`,
  },
  'time-service-silent': {
    found: 'timedatectl ne répond pas',
    means: 'on ne sait pas qui règle l’horloge',
    cure: 'regardez encore avec sudo ; s’il ne répond toujours pas, installez un service de temps',
  },
  'time-kept': { found: 'un service de temps tient l’horloge à l’heure' },
  'time-not-kept': {
    found: 'aucun service de temps n’a réglé l’horloge',
    means: 'après une coupure de courant elle retarde',
    cure: SET_CLOCK,
  },
};

function cureOf(cause: LinkCause, serverCaFile: string | null): string {
  switch (cause) {
    case 'expired':
    case 'clock-behind':
      return 'vérifiez l’horloge de cet appareil (voir « horloge »), puis le certificat du serveur';
    case 'other-name':
      return 'mettez dans link.serverUrl le nom pour lequel le certificat est fait';
    case 'not-trusted':
      return serverCaFile === null
        ? 'l’autorité du serveur n’est pas reconnue ici : nommez son fichier PEM dans link.serverCaFile'
        : `${serverCaFile} n’est pas l’autorité de ce serveur`;
    case 'nothing-listens':
      return 'rien n’y écoute : vérifiez le port, et que le serveur tourne';
    case 'no-tls':
      return 'vérifiez le port dans link.serverUrl : ce n’est pas celui du serveur TLS';
    default:
      return 'vérifiez le réseau, le pare-feu et link.serverUrl';
  }
}

import type { Clock, Randomness } from '@relaygate/shared';
import type { BoardProfile, ConsoleLanguage } from '@relaygate/shared/device';
import type { FactoryReset } from '../../../files/factory-reset';
import type { SealableFiles } from '../../../files/sealable-files';
import type { Log } from '../../../runtime/log';
import type { GuardContact } from '../../commands/guard-contact';
import type { EventLog } from '../../history/event-log';
import type { LostAnswers } from '../../link/lost-answers';
import type { Clicks } from '../../proof/clicks';
import type { Proving } from '../../proof/proving';
import type { LockKeeper } from '../../settings/lock-keeper';
import type { Records } from '../../settings/open-records';
import type { SettingsKeeper } from '../../settings/settings-keeper';
import type { DeviceStatus, IdentityReply } from '../local-messages/device';
import type { Diagnosis } from '../local-messages/doctor';
import type { WebPage } from '../web/web-page';

/** What the actions of a technician work with. */
export interface ActionDeps extends Records {
  clock: Clock;
  randomness: Randomness;
  log: Log;
  events: EventLog;
  guard: GuardContact;
  settings: SettingsKeeper;
  locks: LockKeeper;
  lostAnswers: LostAnswers;
  clicks: Clicks;
  proving: Proving;
  web: Pick<WebPage, 'on' | 'off' | 'status'>;
  /** The files that this agent writes; once it wipes, it writes none. */
  files: SealableFiles;
  factoryReset: FactoryReset;
  status(language: ConsoleLanguage): DeviceStatus;
  identity(): Promise<IdentityReply>;
  /** Rejects with RelaygateError. */
  diagnose(language: ConsoleLanguage): Promise<Diagnosis>;
  /** The profile that came with the card; null: none did. */
  siteProfile(): Promise<BoardProfile | null>;
  /** The link ends: no remote command comes any more. */
  stopLink(): void;
  /** Ends the program: this device is not the same any more. */
  end(): void;
}

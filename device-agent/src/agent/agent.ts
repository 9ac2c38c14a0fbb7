import type { Command, Report } from '@relaygate/shared';
import type { ConsoleLanguage, DeviceSettings } from '@relaygate/shared/device';
import type { DialLines, ServeLines } from '../ipc/line-connection';
import { THE_SERVER } from '../locales/common';
import { faultText } from '../locales/fault-text';
import { type Fault, fault } from '../runtime/fault';
import type { DeviceClock } from '../runtime/wall-time';
import type { OpenSerial } from '../serial/serial-port';
import { commandWords, outcomeOf, type RawOutcome } from './commands/command-words';
import { GuardContact } from './commands/guard-contact';
import { deviceStatus } from './device-status';
import { DeviceWatch } from './device-watch';
import { ButtonPresses } from './history/button-presses';
import type { EventFile } from './history/event-file';
import { EventLog } from './history/event-log';
import { type Happened, happened } from './history/happened';
import { HistoryReport } from './history/history-report';
import { inputStatus } from './input-status';
import { ClockWatch } from './link/clock-watch';
import { deviceIdentity } from './link/device-identity';
import { DeviceLink } from './link/device-link';
import { EnrolmentCode } from './link/enrolment-code';
import type { Identity } from './link/identity';
import type { DialLink } from './link/link-socket';
import { LostAnswers } from './link/lost-answers';
import { reportOf } from './link/report';
import { TimeKeeper } from './link/time-keeper';
import { ownFaults } from './own-faults';
import type { ClickedOutputs } from './proof/clicked-outputs';
import { Clicks } from './proof/clicks';
import { ProofFile } from './proof/proof-file';
import { Proving } from './proof/proving';
import { LockKeeper } from './settings/lock-keeper';
import type { ReadLocks } from './settings/locks-file';
import type { Records } from './settings/open-records';
import { SettingsKeeper } from './settings/settings-keeper';
import type { ActionDeps } from './technician/actions/action-deps';
import { SerialConsole } from './technician/console/serial-console';
import { LocalApi } from './technician/local-api';
import type { DeviceStatus } from './technician/local-messages/device';
import { type WebAdapters, WebPage } from './technician/web/web-page';

/** What a technician's action gets as it is. */
type PassedOn = 'clock' | 'randomness' | 'files' | 'log' | 'diagnose' | 'siteProfile' | 'factoryReset';

export interface AgentDeps extends Pick<ActionDeps, PassedOn> {
  wallClock: DeviceClock;
  eventFile: EventFile;
  dialGuard: DialLines;
  dialLink: DialLink;
  /** For the serial console, if the settings name one. */
  openSerial: OpenSerial;
  settings: DeviceSettings;
  /** settings.json as it was read. */
  settingsText: string;
  settingsPath: string;
  enrolmentCodePath: string;
  /** What `locksPath` held. */
  locks: ReadLocks;
  locksPath: string;
  proofPath: string;
  clicked: Pick<ClickedOutputs, 'add' | 'missing'>;
  lastGoodTimePath: string;
  /** The technician's page, and where its certificate and its Wi-Fi's mark lie. */
  web: WebAdapters & { certificatePath: string; hotspotMarkPath: string };
  /** A factory reset was made: the program has to end. */
  onReset(): void;
  identity: Identity;
  records: Records;
  version: string;
  bootId: string;
}

/** The agent: link, settings and local API around the connection to the guard. Holds no relay. */
export class Agent {
  readonly #deps: AgentDeps;
  readonly #guard: GuardContact;
  readonly #settings: SettingsKeeper;
  readonly #link: DeviceLink;
  readonly #code: EnrolmentCode;
  readonly #locks: LockKeeper;
  readonly #events: EventLog;
  readonly #watch: DeviceWatch;
  readonly #lostAnswers: LostAnswers;
  readonly #clockWatch: ClockWatch;
  readonly #timeKeeper: TimeKeeper;
  readonly #presses: ButtonPresses;
  readonly #clicks: Clicks;
  readonly #proofFile: ProofFile;
  readonly #proving: Proving;
  readonly #historyReport: HistoryReport;
  readonly #api: LocalApi;
  readonly #web: WebPage;
  readonly #console: SerialConsole | null;

  constructor(deps: AgentDeps) {
    const { clock, wallClock, randomness, files, log, identity, version, bootId } = deps;
    this.#deps = deps;
    this.#events = new EventLog({ clock, wallClock, file: deps.eventFile, log });
    this.#watch = new DeviceWatch(this.#events);
    this.#code = new EnrolmentCode(files, deps.enrolmentCodePath);
    this.#guard = new GuardContact({
      dial: deps.dialGuard,
      clock,
      log,
      linkIsUp: () => this.#link.view().isUp,
      locks: () => this.#locks.locks,
      epochRefused: (problem) => this.#link.epochRefused(problem),
      onChange: () => this.#guardChanged(),
    });
    this.#settings = new SettingsKeeper(deps.settings, deps.settingsText, {
      files,
      path: deps.settingsPath,
      guard: this.#guard,
      history: deps.records.history,
      clock,
      log,
      onChange: () => this.#changed(),
    });
    this.#locks = new LockKeeper(deps.locks, {
      files,
      clock,
      path: deps.locksPath,
      bootId,
      guard: this.#guard,
      history: deps.records.history,
      log,
      onChange: (ended) => {
        for (const { numOutput } of ended) this.#events.add('lock', happened('lock-ended', { numOutput }));
        this.#changed();
      },
    });
    this.#lostAnswers = new LostAnswers({ guard: this.#guard, clock });
    const onChange = (): void => this.#changed();
    this.#clockWatch = new ClockWatch({ clock, wallClock, onChange });
    this.#clicks = new Clicks({
      guard: this.#guard,
      settings: this.#settings,
      history: deps.records.history,
      events: this.#events,
      lostAnswers: this.#lostAnswers,
      clicked: deps.clicked,
      clock,
      randomness,
    });
    this.#proofFile = new ProofFile({ files, path: deps.proofPath, history: deps.records.history, log, onChange });
    this.#proving = new Proving({
      guard: this.#guard,
      settings: this.#settings,
      clicks: this.#clicks,
      clicked: deps.clicked,
      file: this.#proofFile,
      history: deps.records.history,
      wallClock,
      events: this.#events,
      onChange,
    });
    this.#link = new DeviceLink(
      {
        dial: deps.dialLink,
        clock,
        wallClock,
        randomness,
        guard: this.#guard,
        log,
        report: () => this.#report(),
        enrolmentCode: () => this.#code.read(),
        refusalReason: (numOutput) => this.#proving.refusalReason(numOutput),
        forgetEnrolmentCode: (sent) => this.#code.forget(sent),
        commandEnded: (command, became) => this.#events.addOutcome([became.commandId], remoteCommand(command, became)),
        commandLost: (command) =>
          this.#events.add('command', remoteCommand(command, { ...command, outcome: 'unknown' })),
        historyKept: (kept) => this.#historyReport.kept(kept),
        onChange: () => this.#linkChanged(),
      },
      { settings: deps.settings.link, identity, agentVersion: version, bootId },
    );
    this.#historyReport = new HistoryReport({
      history: deps.records.history,
      send: (events) => this.#link.sendEvents(events),
    });
    this.#presses = new ButtonPresses({
      guard: this.#guard,
      history: deps.records.history,
      bootId,
      clock,
      log,
      wallClock: deps.wallClock,
    });
    this.#timeKeeper = new TimeKeeper({
      files,
      clock,
      log,
      path: deps.lastGoodTimePath,
      linkTimeMs: () => this.#link.certifiedTimeMs,
    });
    this.#web = this.#webPage();
    this.#api = this.#localApi();
    this.#console = this.#serialConsole();
  }

  start(): void {
    this.#events.add('agent', happened('agent-started', { version: this.#deps.version }));
    this.#locks.start();
    this.#clockWatch.start();
    void this.#proofFile.load();
    this.#deps.records.history.watch(() => this.#historyChanged());
    this.#guard.start();
    this.#link.start();
    this.#web.start();
    this.#console?.start();
  }

  /** Resolves when the page's port is closed; the others end at once. */
  async stop(): Promise<void> {
    const closed = this.#web.stop();
    this.#console?.stop();
    this.#link.stop();
    this.#guard.stop();
    this.#locks.stop();
    this.#presses.stop();
    this.#lostAnswers.stop();
    this.#clockWatch.stop();
    this.#timeKeeper.stop();
    this.#deps.records.history.stop();
    await closed;
  }

  /** Serves agent.sock. */
  serveLocal(): ServeLines {
    return this.#api.serve();
  }

  #localApi(): LocalApi {
    const { records, onReset } = this.#deps;
    return new LocalApi({
      ...this.#deps,
      ...records,
      guard: this.#guard,
      settings: this.#settings,
      locks: this.#locks,
      events: this.#events,
      lostAnswers: this.#lostAnswers,
      proving: this.#proving,
      clicks: this.#clicks,
      stopLink: () => this.#link.stop(),
      end: onReset,
      web: this.#web,
      status: (language) => this.#status(language),
      identity: () => deviceIdentity(this.#deps.settings.link, this.#deps.identity, this.#code, this.#web),
    });
  }

  #webPage(): WebPage {
    const { clock, randomness, files, log, settings, records, web } = this.#deps;
    const api = {
      perform: (type: string, request: object, givenUp: AbortSignal) => this.#api.perform(type, request, givenUp),
    };
    const own = { guard: this.#guard, events: this.#events, api, onChange: () => this.#changed() };
    return new WebPage({ ...web, ...records, ...own, clock, randomness, files, log, settings });
  }

  #serialConsole(): SerialConsole | null {
    const { clock, log, settings, records, openSerial } = this.#deps;
    if (!settings.console) return null;
    return new SerialConsole({
      open: openSerial,
      clock,
      board: settings.board,
      settings: settings.console,
      api: this.#api,
      pin: records.pin,
      log,
      onChange: () => this.#link.deviceChanged(),
    });
  }

  #guardChanged(): void {
    const { status } = this.#guard;
    if (status) this.#settings.guardChanged(status);
    this.#lostAnswers.guardChanged();
    this.#presses.look(status);
    this.#changed();
  }

  #linkChanged(): void {
    this.#guard.linkChanged();
    this.#timeKeeper.linkChanged();
    this.#changed();
    this.#historyReport.linkChanged(this.#link.view().isUp);
  }

  #changed(): void {
    const { status: guard, problem: guardProblem } = this.#guard;
    this.#watch.look({
      guard,
      guardProblem,
      link: this.#link.view(),
      faults: this.#ownFaults(),
      parts: this.#clicks.commandIds,
    });
    this.#link.deviceChanged();
  }

  #historyChanged(): void {
    this.#changed();
    this.#historyReport.historyChanged();
  }

  #report(): Report {
    const nowMs = this.#deps.clock.nowMs();
    const leftMs = new Map(this.#locks.locks.map(({ numOutput, untilMs }) => [numOutput, untilMs - nowMs]));
    const { outputs, inputs = [] } = this.#settings.settings;
    const { status } = this.#guard;
    return reportOf(
      outputs,
      status,
      this.#faults().map((one) => faultText(one)),
      (numOutput) => leftMs.get(numOutput) ?? null,
      inputStatus(inputs, status, nowMs).map(({ numInput, name, kind, state }) => ({ numInput, name, kind, state })),
    );
  }

  #faults(): Fault[] {
    const { status, problem } = this.#guard;
    return [...(status ? status.faults : [fault('guard-away', { problem })]), ...this.#ownFaults()];
  }

  #ownFaults(): Fault[] {
    const { history } = this.#deps.records;
    const serialConsole = this.#console === null ? [] : [this.#console];
    const records = [this.#locks, this.#settings, this.#code, this.#proving, history];
    const deps = [...records, this.#clockWatch, this.#web, ...serialConsole];
    return ownFaults(this.#guard.status, this.#link.view(), deps);
  }

  #status(language: ConsoleLanguage): DeviceStatus {
    return deviceStatus({
      language,
      settings: this.#settings.settings,
      version: this.#deps.version,
      link: this.#link.view(),
      guard: this.#guard.status,
      guardProblem: this.#guard.problem,
      locks: this.#locks.locks,
      isSaved: (lock) => this.#locks.isSaved(lock),
      faults: this.#faults(),
      webLeftMs: this.#web.leftMs,
      nowMs: this.#deps.clock.nowMs(),
      wallClock: this.#deps.wallClock,
    });
  }
}

/** `command` null: this agent did not get it itself. */
function remoteCommand(command: Command | null, became: RawOutcome & { commandId: string }): Happened {
  const words = command ? commandWords(command.numOutput, command) : `command ${became.commandId}`;
  return happened('command', { command: words, by: command?.by ?? THE_SERVER, ...outcomeOf(became) });
}

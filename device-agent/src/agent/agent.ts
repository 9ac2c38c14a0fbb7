import type { Command, Report } from '@relaygate/shared';
import type { ConsoleLanguage } from '@relaygate/shared/device';
import type { DialLines, ServeLines } from '../ipc/line-connection';
import { THE_SERVER } from '../locales/common';
import { faultText } from '../locales/fault-text';
import { type Fault, fault } from '../runtime/fault';
import type { OpenSerial } from '../serial/serial-port';
import { commandWords, outcomeOf, type RawOutcome } from './commands/command-words';
import { GuardContact } from './commands/guard-contact';
import { deviceStatus } from './device-status';
import { DeviceWatch } from './device-watch';
import { ButtonPresses } from './history/button-presses';
import { EventFile } from './history/event-file';
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
import { ClickedOutputs } from './proof/clicked-outputs';
import { Clicks } from './proof/clicks';
import { ProofFile } from './proof/proof-file';
import { Proving } from './proof/proving';
import { LockKeeper } from './settings/lock-keeper';
import { type ReadLocks, readLocks } from './settings/locks-file';
import { openRecords, type RecordDeps, type Records } from './settings/open-records';
import { SettingsKeeper } from './settings/settings-keeper';
import type { ActionDeps } from './technician/actions/action-deps';
import type { Performer } from './technician/console/console-agent';
import { SerialConsole } from './technician/console/serial-console';
import { LocalApi } from './technician/local-api';
import type { DeviceStatus } from './technician/local-messages/device';
import { type WebAdapters, WebPage } from './technician/web/web-page';

/** What a technician's action gets as it is. */
type PassedOn = 'clock' | 'randomness' | 'files' | 'log' | 'diagnose' | 'siteProfile' | 'factoryReset';

export interface AgentDeps extends Pick<ActionDeps, PassedOn>, Omit<RecordDeps, 'files'> {
  dialGuard: DialLines;
  dialLink: DialLink;
  /** For the serial console, if the settings name one. */
  openSerial: OpenSerial;
  /** settings.json as it was read. */
  settingsText: string;
  /** Where the log of this boot is kept. */
  eventsPath: string;
  /** For the technician's page. */
  web: WebAdapters;
  /** A factory reset was made: the program has to end. */
  onReset(): void;
  identity: Identity;
  version: string;
}

/** What a former agent has left. */
interface Found {
  records: Records;
  eventFile: EventFile;
  locks: ReadLocks;
}

/** Reads what a former agent has left. Never rejects: what cannot be used is quarantined. */
export async function openAgent(deps: AgentDeps): Promise<Agent> {
  const { clock, files, paths, bootId, settings } = deps;
  const records = await openRecords(deps);
  const eventFile = await EventFile.open({ ...deps, path: deps.eventsPath });
  const locks = await readLocks(files, paths.locks, bootId, clock.nowMs(), settings.outputs.length);
  return new Agent(deps, { records, eventFile, locks });
}

/** The agent: link, settings and local API around the connection to the guard. Holds no relay. */
export class Agent {
  readonly #deps: AgentDeps;
  readonly records: Records;
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

  constructor(deps: AgentDeps, found: Found) {
    const { clock, wallClock, randomness, files, paths, log, identity, version: agentVersion, bootId } = deps;
    const { history } = found.records;
    const common = { clock, wallClock, randomness, files, log, bootId, history, onChange: () => this.#changed() };
    this.#deps = deps;
    this.records = found.records;
    const events = new EventLog({ ...common, file: found.eventFile });
    const guard = new GuardContact({
      ...common,
      dial: deps.dialGuard,
      linkIsUp: () => this.#link.view().isUp,
      locks: () => this.#locks.locks,
      epochRefused: (problem) => this.#link.epochRefused(problem),
      onChange: () => this.#guardChanged(),
    });
    const settings = new SettingsKeeper(deps.settings, deps.settingsText, { ...common, path: paths.settings, guard });
    const lostAnswers = new LostAnswers({ guard, clock });
    const clicked = new ClickedOutputs();
    const clicks = new Clicks({ ...common, guard, settings, events, lostAnswers, clicked });
    const proofFile = new ProofFile({ ...common, path: paths.proof });
    this.#events = events;
    this.#guard = guard;
    this.#settings = settings;
    this.#lostAnswers = lostAnswers;
    this.#clicks = clicks;
    this.#proofFile = proofFile;
    this.#proving = new Proving({ ...common, guard, settings, clicks, clicked, file: proofFile, events });
    this.#watch = new DeviceWatch(events);
    this.#code = new EnrolmentCode(files, paths.enrolmentCode);
    this.#locks = new LockKeeper(found.locks, {
      ...common,
      path: paths.locks,
      guard,
      onChange: (ended) => {
        for (const { numOutput } of ended) events.add('lock', happened('lock-ended', { numOutput }));
        this.#changed();
      },
    });
    this.#clockWatch = new ClockWatch(common);
    this.#link = new DeviceLink(
      {
        ...common,
        dial: deps.dialLink,
        guard,
        report: () => this.#report(),
        enrolmentCode: () => this.#code.read(),
        refusalReason: (numOutput) => this.#proving.refusalReason(numOutput),
        forgetEnrolmentCode: (sent) => this.#code.forget(sent),
        commandEnded: (command, became) => events.addOutcome([became.commandId], remoteCommand(command, became)),
        commandLost: (command) => events.add('command', remoteCommand(command, { ...command, outcome: 'unknown' })),
        historyKept: (kept) => this.#historyReport.kept(kept),
        onChange: () => this.#linkChanged(),
      },
      { settings: deps.settings.link, identity, agentVersion, bootId },
    );
    this.#historyReport = new HistoryReport({ history, send: (message) => this.#link.sendEvents(message) });
    this.#presses = new ButtonPresses({ ...common, guard });
    const linkTimeMs = (): number | null => this.#link.certifiedTimeMs;
    this.#timeKeeper = new TimeKeeper({ ...common, path: paths.lastGoodTime, linkTimeMs });
    this.#web = this.#webPage();
    this.#api = this.#localApi();
    this.#console = this.#serialConsole();
  }

  start(): void {
    this.#events.add('agent', happened('agent-started', { version: this.#deps.version }));
    this.#locks.start();
    this.#clockWatch.start();
    void this.#proofFile.load();
    this.records.history.watch(() => this.#historyChanged());
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
    this.records.history.stop();
    await closed;
  }

  /** Serves agent.sock. */
  serveLocal(): ServeLines {
    return this.#api.serve();
  }

  #localApi(): LocalApi {
    return new LocalApi({
      ...this.#deps,
      ...this.records,
      guard: this.#guard,
      settings: this.#settings,
      locks: this.#locks,
      events: this.#events,
      lostAnswers: this.#lostAnswers,
      proving: this.#proving,
      clicks: this.#clicks,
      stopLink: () => this.#link.stop(),
      end: () => this.#deps.onReset(),
      web: this.#web,
      status: (language) => this.#status(language),
      identity: () => deviceIdentity(this.#deps.settings.link, this.#deps.identity, this.#code, this.#web),
    });
  }

  #webPage(): WebPage {
    const { web } = this.#deps;
    const api: Performer = { perform: (...asked) => this.#api.perform(...asked) };
    const own = { guard: this.#guard, events: this.#events, api, onChange: () => this.#changed() };
    return new WebPage({ ...this.#deps, ...web, ...this.records, ...own });
  }

  #serialConsole(): SerialConsole | null {
    const { clock, log, settings, openSerial: open } = this.#deps;
    if (!settings.console) return null;
    return new SerialConsole({
      ...{ open, clock, board: settings.board, settings: settings.console, log },
      api: this.#api,
      pin: this.records.pin,
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

  /** What is wrong with the agent and its files, in the order in which people read of it. */
  #ownFaults(): Fault[] {
    const { status } = this.#guard;
    const { replaced, epoch } = this.#link.view();
    // I12: epochs only go up, so a server whose database was restored from a copy looks superseded.
    const isBehind = status !== null && epoch !== null && status.epoch > epoch;
    const records = [this.#locks, this.#settings, this.#code, this.#proving, this.records.history];
    const parts = [...records, this.#clockWatch, this.#web, ...(this.#console === null ? [] : [this.#console])];
    return [
      ...(isBehind ? [fault('epoch-behind', { epoch, guardEpoch: status.epoch })] : []),
      ...parts.flatMap(({ faults }) => faults),
      ...(replaced > 0 ? [fault('key-elsewhere', { times: replaced })] : []),
    ];
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

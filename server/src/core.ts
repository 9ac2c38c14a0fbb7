import { type ServerSettings, UPLOAD_GRACE_MS } from '@relaygate/shared';
import { type ActionSettings, type Actions, actionsOf, type DomainDeps } from './actions';
import type { RunningRequests } from './activity-counter';
import type { CheckpointKeeper } from './audit/checkpoint-keeping';
import { Checkpoints } from './audit/checkpoints';
import { ChangeStream } from './changes/change-stream';
import { commandRouter } from './commands/command-router';
import { commandIds, Dispatcher } from './commands/dispatcher';
import { countedAtOwner } from './commands/drive-output';
import { LateOutcomes } from './commands/late-outcomes';
import { LinkWait } from './commands/link-wait';
import type { NodeRouter } from './commands/order';
import { OutcomeRecorder } from './commands/outcome-recorder';
import { PendingSweep } from './commands/pending-sweep';
import { RoutedCommands } from './commands/routed-commands';
import { joinedByKey } from './commands/same-key';
import type { DeviceLinkDeps } from './devices/device-link';
import { handOver } from './devices/hand-over';
import { LinkRegistry } from './devices/link-registry';
import { LinkSettler } from './devices/link-settler';
import { localPresence } from './devices/local-presence';
import { watchRevocations } from './devices/revocation-watch';
import { sharedPresence } from './devices/shared-presence';
import { watchTakeovers } from './devices/takeover-watch';
import { nodeLimits, sharedLimits } from './limits/node-limits';
import type { SharedLimits } from './limits/shared-limits';
import type { WriteLimits } from './limits/write-budgets';
import { RefusalLog } from './log/refusal-log';
import { SOLE_NODE } from './nodes/membership';
import { NodeLease } from './nodes/node-lease';
import { secretsMark } from './nodes/secrets-mark';
import { DiskWatch, type DiskWatchOptions } from './upkeep/disk-watch';
import { KeyRelease } from './upkeep/key-release';
import { Readiness } from './upkeep/readiness';
import { Retention } from './upkeep/retention';

export type CoreSettings = ActionSettings &
  Pick<
    ServerSettings,
    | 'nodeName'
    | 'productCommandsPerMinute'
    | 'clientCommandsPerMinute'
    | 'keepCommandsDays'
    | 'keepRevocationsDays'
    | 'keepSessionsDays'
    | 'keepHistoryPositionsDays'
  >;

/** The ports of the server's core. The simulation runs the core unchanged over simulated ports. */
export interface CoreDeps extends DomainDeps {
  settings: CoreSettings;
  /** Undefined: free space is not watched, as in the simulation. */
  disk?: DiskWatchOptions;
  /** Undefined: checkpoints of the audit are in the database and in the log only, as in the simulation. */
  checkpointKeeper?: CheckpointKeeper;
  /** Undefined: whether the database has a synchronous standby is not watched. */
  hasSynchronousStandby?: () => Promise<boolean>;
  /** With several nodes: calls `run` when a standby has become the database. */
  onFailover?: (run: () => void) => void;
  /**
   * Several nodes use the database: opens the way between them. `commands`: what takes those of other nodes. `limits`: what counts for
   * all of them.
   */
  connectNodes?: (commands: Pick<RoutedCommands, 'take'>, limits: SharedLimits) => NodeRouter;
  /** For tests: limits other than the usual ones. */
  writeLimits?: Partial<WriteLimits>;
}

/** The server without HTTP and sockets. */
export interface ServerCore {
  actions: Actions;
  /** What /readyz answers. */
  readiness: Readiness;
  /** What each device link needs. */
  linkDeps: DeviceLinkDeps;
  /** What changes, for whoever listens in this process. */
  changes: ChangeStream;
  /** `leaving`: it stops, or is about to and serves on; shows in /readyz. */
  state: { leaving: boolean; stopping: boolean };
  /** Settles what the last run left open; to be called before the first request and link. Rejects if the database fails. */
  begin(): Promise<void>;
  /** Instead of all that may follow `begin`, also of one that failed: gives back what that has taken. */
  abandon(): Promise<void>;
  /** Begins to close links of revoked devices, watch the disk, settle lost commands, remove old rows and make checkpoints. */
  watch(): void;
  /**
   * Lets requests and commands end, then calls `closeLinks`, then writes the outcomes that are left. The caller accepts no
   * new connections from then on.
   */
  stop(requests: RunningRequests, closeLinks: () => void): Promise<void>;
}

/** Commands still open after this time will never be resolved. */
const KEEP_OPEN_COMMANDS_DAYS = 7;
/** A running request ends within UPLOAD_GRACE_MS, OWNER_LOOKUP_MS and 5.1 s (I6); requests that are left are cut. */
const DRAIN_MS = 6_000;
const OUTCOMES_DRAIN_MS = 2_000;

/** Wires the domain, with its device links, over the ports. It runs no adapter's code: only `compose.ts` wires adapters. */
export function composeCore(deps: CoreDeps): ServerCore {
  const { settings, storage, log, clock, wallClock, randomness } = deps;
  const state = { leaving: false, stopping: false };
  const disk = deps.disk && new DiskWatch(deps.disk, clock, log);
  const keptDays = {
    openCommands: KEEP_OPEN_COMMANDS_DAYS,
    commands: Number(settings.keepCommandsDays),
    deviceRevocations: Number(settings.keepRevocationsDays),
    refreshFamilies: Number(settings.keepSessionsDays),
    historyPositions: Number(settings.keepHistoryPositionsDays),
  };
  const retention = new Retention({ store: storage, keptDays, clock, wallClock, log });
  const keys = new KeyRelease({ store: storage, clock, log });
  const checkpoints = new Checkpoints({
    store: storage,
    key: deps.secrets.auditKey,
    keeper: deps.checkpointKeeper,
    clock,
    wallClock,
    log,
  });
  const limits = nodeLimits({
    settings,
    secret: deps.secrets.refreshSecret,
    clock,
    writeLimits: deps.writeLimits,
  });
  const changes = new ChangeStream(storage, clock, log);
  const registry = new LinkRegistry(clock);
  const { serverName, nodeName } = settings;
  const endAllLinks = (): void => {
    for (const link of registry.all()) link.closeForRestart();
  };
  const lease = deps.connectNodes
    ? new NodeLease({
        store: storage,
        nodeName,
        secrets: secretsMark(deps.secrets),
        clock,
        wallClock,
        randomness,
        log,
        onLost: endAllLinks,
      })
    : undefined;
  const node = lease ?? SOLE_NODE;
  if (lease) deps.onFailover?.(() => lease.renounce());
  const settler = new LinkSettler({ store: storage, registry, node, clock, wallClock, log });
  const outcomes = new OutcomeRecorder(storage, clock, log);
  const late = new LateOutcomes({ store: storage, outcomes, clock, wallClock, log });
  const newCommandId = commandIds(wallClock, randomness);
  const paths = { store: storage, links: registry, node, nodeName, outcomes, late };
  const dispatcher = new Dispatcher({ ...paths, clock, wallClock, log, newCommandId });
  const sweep = new PendingSweep({ store: storage, dispatcher, outcomes, node, clock, wallClock, log });
  const refusals = new RefusalLog(log, clock, 'link');
  const presence = lease
    ? sharedPresence({ nodeName, registry, store: storage, node, clock })
    : localPresence(registry, clock);
  const counted = { dispatch: countedAtOwner(limits.commands.products, dispatcher.dispatch.bind(dispatcher)) };
  const linkWait = new LinkWait({
    nodeName,
    links: registry,
    store: storage,
    node,
    dispatcher: counted,
    isAtWork: dispatcher.isAtWork.bind(dispatcher),
    newCommandId,
    clock,
  });
  // Commands of other nodes with the key of one that is at work here.
  const local = lease ? { dispatch: joinedByKey(linkWait.local.dispatch) } : counted;
  const router = commandRouter({
    nodeName,
    links: registry,
    presence,
    local,
    nodeOf: (name) => nodes?.nodeOf(name),
    newCommandId,
    clock,
  });
  let nodes: NodeRouter | undefined;
  let stopWatch = (): void => {};
  return {
    actions: actionsOf({ ...deps, limits, presence, router, outcomes }),
    readiness: new Readiness({
      storage,
      outcomes,
      checkpoints,
      disk,
      state,
      node,
      nodes: () => nodes,
      hasSynchronousStandby: deps.hasSynchronousStandby,
      clock,
    }),
    linkDeps: {
      store: storage,
      serverName,
      clock,
      wallClock,
      randomness,
      log,
      registry,
      settler,
      node,
      listener: dispatcher,
      budgets: limits.writes,
      refusals,
    },
    changes,
    state,
    async begin() {
      if (lease) {
        await lease.begin();
        registry.begin();
        const takes = (productLogin: string, epoch: number): boolean => isOfNewestLink(registry, productLogin, epoch);
        const commands = new RoutedCommands({ clock, store: storage, links: registry, local, takes });
        nodes = deps.connectNodes?.(commands, sharedLimits(limits));
        return;
      }
      await storage.interruptPending(wallClock.epochMs());
      await storage.closeAllLinks();
    },
    async abandon() {
      await nodes?.stop(0);
      await lease?.stop();
    },
    watch() {
      disk?.start();
      retention.start();
      keys.start();
      sweep.start();
      checkpoints.start();
      const commands = {
        deviceRevoked(productLogin: string) {
          linkWait.deviceRevoked(productLogin);
          dispatcher.deviceRevoked(productLogin);
        },
      };
      const stopRevocations = watchRevocations({ store: storage, registry, commands, clock, log });
      const stopTakeovers = lease ? watchTakeovers({ store: storage, registry, node, clock, log }) : (): void => {};
      stopWatch = () => {
        stopRevocations();
        stopTakeovers();
      };
    },
    async stop(requests, closeLinks) {
      state.leaving = true;
      state.stopping = true;
      const dueMs = clock.nowMs() + DRAIN_MS;
      const isAtWork = dispatcher.isAtWork.bind(dispatcher);
      const endHandOver = lease ? handOver({ registry, isAtWork, clock }) : (): void => {};
      const cancel = clock.after(UPLOAD_GRACE_MS, () => requests.endUploads());
      await requests.whenIdle(clock, DRAIN_MS);
      cancel();
      // After the requests, because a request may still begin a command, or wait for one at another node.
      await nodes?.stop(dueMs - clock.nowMs());
      // A client may have hung up.
      await dispatcher.whenIdle(dueMs - clock.nowMs());
      stopWatch();
      disk?.stop();
      retention.stop();
      keys.stop();
      sweep.stop();
      endHandOver();
      closeLinks();
      refusals.stop();
      changes.stop();
      settler.stop();
      late.stop();
      await outcomes.stop(OUTCOMES_DRAIN_MS);
      await checkpoints.stop();
      await lease?.stop();
    },
  };
}

/**
 * Without a link here, the record of the command shows whether this node owns the product. A link that is older than the one that the
 * asker knows of is superseded.
 */
function isOfNewestLink(registry: LinkRegistry, productLogin: string, epoch: number): boolean {
  const link = registry.current(productLogin);
  return !link || link.held.epoch >= epoch;
}

import type { Clock } from '@relaygate/shared';
import { MAX_ROUTED_COMMANDS, MAX_ROUTED_COMMANDS_PER_NODE, within } from '@relaygate/shared';
import { ActivityCounter } from '../activity-counter';
import type { RoutedCommand } from '../commands/order';
import type { OwnerAnswer, RoutedCommands } from '../commands/routed-commands';
import type { Log } from '../log/log';
import type { BusMessage, MessageBus } from './message-bus';
import {
  bodyOf,
  type CommandQuestion,
  commandSubject,
  isAnswerSubject,
  type Reader,
  type RecentAnswer,
  readCommandQuestion,
  readNodeQuestion,
  recentSubject,
  type TimeAnswer,
  timeSubject,
} from './messages';
import { type OpeningDeps, openMessage } from './opened-message';
import { orderOf } from './routed-order';
import { seal, type Unsealed } from './seal';
import type { SentCounts } from './sent-counts';

export interface NodeServerDeps extends OpeningDeps {
  nodeName: string;
  /** Names this process. */
  instance: string;
  bus: MessageBus;
  commands: Pick<RoutedCommands, 'take'>;
  counts: Pick<SentCounts, 'recentFrom'>;
  clock: Clock;
  log: Log;
}

/** How long a node that stops waits for what the broker has passed on. */
const LAST_HEARD_MS = 1_000;
/** To a node of another version. A repetition of the command is as unreadable. */
const UNREADABLE = { kind: 'unreadable' };

/**
 * Tells other nodes of this one's time and counts and, as an owner, takes their commands. What is not sealed by one of them gets no
 * answer.
 */
export class NodeServer {
  readonly #deps: NodeServerDeps;
  /** Commands at work, by the node that sent them. */
  readonly #atWork = new Map<string, number>();
  #allAtWork = 0;
  readonly #answering = new ActivityCounter();

  constructor(deps: NodeServerDeps) {
    this.#deps = deps;
    const { nodeName, instance, counts, clock } = deps;
    this.#serve(timeSubject(nodeName), readNodeQuestion, (): TimeAnswer => ({ instance, nowMs: clock.nowMs() }));
    this.#serve(recentSubject(instance), readNodeQuestion, (): RecentAnswer => ({ from: counts.recentFrom }));
    this.#serve(
      commandSubject(nodeName, instance),
      readCommandQuestion,
      (question) => this.#take(question),
      UNREADABLE,
    );
  }

  get atWork(): number {
    return this.#allAtWork;
  }

  /** Takes nothing that is sent from now on, and waits at most `timeoutMs` until all commands at work are answered. */
  async stop(timeoutMs: number): Promise<void> {
    const { bus, nodeName, instance, clock } = this.#deps;
    const untilMs = clock.nowMs() + timeoutMs;
    const subjects = [commandSubject(nodeName, instance), timeSubject(nodeName), recentSubject(instance)];
    // What is on its way is taken: its sender would not know whether it was.
    const heard = Promise.all(subjects.map((subject) => bus.unsubscribe(subject)));
    await within(clock, Math.min(LAST_HEARD_MS, timeoutMs), heard, undefined);
    await this.#answering.whenIdle(clock, untilMs - clock.nowMs());
  }

  /** `unreadable`: what another node of the installation is answered whose question cannot be read. */
  #serve<T>(
    subject: string,
    read: Reader<T>,
    answer: (question: T) => object | Promise<object | undefined>,
    unreadable?: object,
  ): void {
    const { bus, key, refusals } = this.#deps;
    bus.subscribe(subject, (message) => {
      const opened = this.#open(message);
      if (!opened) return;
      const reply = (given: object): void => {
        bus.publish(
          message.reply,
          seal(key, { direction: 'answer', subject, boundTo: opened.mac }, bodyOf(given)).data,
        );
      };
      const question = read(opened.body);
      if (question === undefined) {
        refusals.note('message-unreadable', subject);
        if (unreadable) reply(unreadable);
        return;
      }
      const given = answer(question);
      if (!(given instanceof Promise)) return reply(given);
      this.#answering.enter();
      const replied = given.then(
        (later) => {
          if (later) reply(later);
        },
        (err: unknown) => this.#deps.log.error({ err }, 'a command of another node failed'),
      );
      void replied.then(() => this.#answering.leave());
    });
  }

  /** Undefined if no node of the installation has sent it, or if its answer could go nowhere. */
  #open(message: BusMessage): Unsealed | undefined {
    const opened = openMessage(this.#deps, message);
    if (!opened || isAnswerSubject(message.reply)) return opened;
    return void this.#deps.refusals.note('message-unreadable', message.subject);
  }

  async #take(question: CommandQuestion): Promise<OwnerAnswer | undefined> {
    const { commands, refusals } = this.#deps;
    const { caller, commandId } = question;
    const ofCaller = this.#atWork.get(caller) ?? 0;
    if (this.#allAtWork >= MAX_ROUTED_COMMANDS || ofCaller >= MAX_ROUTED_COMMANDS_PER_NODE) {
      refusals.note('node-busy', caller, () => ({ commandId }));
      return { kind: 'busy' };
    }
    this.#allAtWork += 1;
    this.#atWork.set(caller, ofCaller + 1);
    try {
      const answer = await commands.take(commandOf(question));
      if (answer === undefined) refusals.note('command-repeated', caller, () => ({ commandId }));
      else if (answer.kind === 'late' || answer.kind === 'other-clock')
        refusals.note('command-late', caller, () => ({ commandId, why: answer.kind }));
      return answer;
    } finally {
      this.#allAtWork -= 1;
      const left = (this.#atWork.get(caller) ?? 1) - 1;
      if (left > 0) this.#atWork.set(caller, left);
      else this.#atWork.delete(caller);
    }
  }
}

function commandOf({ commandId, attempt, epoch, acceptedAtMs, order }: CommandQuestion): RoutedCommand {
  return { commandId, attempt, epoch, acceptedAtMs, order: orderOf(order) };
}

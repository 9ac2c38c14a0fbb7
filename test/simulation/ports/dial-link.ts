import type { DialLink } from '@relaygate/device-agent/agent/link/link-socket';
import type { Card } from '../machines/card';
import type { DeviceSetup } from '../machines/device-setup';
import type { Incarnation } from '../machines/incarnation';
import type { MachineClock } from '../machines/machine-clock';
import type { Stage } from '../machines/stage';
import type { LinkFilter } from '../sabotage/sabotage';
import type { DeviceWitness } from '../witnesses/device-witness';
import { recordLink } from '../witnesses/link-record';
import type { Board } from './board';
import { Connection, type Way } from './connection';

interface Dialler {
  readonly setup: DeviceSetup;
  readonly clock: MachineClock;
  readonly board: Board;
  readonly card: Card;
  readonly way: Way;
}

interface LinkMaker {
  device: Dialler;
  witness: DeviceWitness;
  opened(connection: Connection): void;
}

/** How an agent reaches the server: over the network of its machine, which may be cut. */
export function dialLink(world: Stage, life: Incarnation, { device, witness, opened }: LinkMaker): DialLink {
  const { scheduler, server, sabotage } = world;
  return (events) => {
    let connection: Connection | null = null;
    let filter: LinkFilter | undefined;
    let isCancelled = false;
    const refuse = (): void =>
      life.deliver(() => {
        if (!isCancelled) events.closed(null, 'connection refused');
      });
    const arrive = (): void => {
      const { up, down } = device.way;
      if (isCancelled || !life.isAlive) return;
      if (up.isBlocked) return up.whenOpen(() => scheduler.in(up.delayMs(), arrive));
      if (down.isBlocked) return down.whenOpen(() => scheduler.in(down.delayMs(), arrive));
      const { listening } = server;
      if (!listening || listening.stoppingSinceMs !== null) return void scheduler.in(down.delayMs(), refuse);
      const made = new Connection(scheduler, { dialler: life, server: listening.life }, device.way);
      const of = { machine: device.setup.name, productLogin: device.setup.productLogin };
      const link = recordLink(made, of, () => scheduler.nowMs);
      made.server.tap = (text) => witness.frame(text, link);
      made.dialler.tap = (text) => witness.said(text, link);
      connection = made;
      opened(made);
      filter = sabotage.agentLink?.(device, world, (text) => life.deliver(() => events.text(text)));
      made.dialler.listen({
        text: (text) => {
          if (text.startsWith('{"type":"time"')) link.timesMs.push(scheduler.nowMs);
          const heard = filter?.received ? filter.received(text) : text;
          if (heard !== null) events.text(heard);
        },
        closed: (code) => {
          link.leftMs ??= scheduler.nowMs;
          events.closed(code, code === null ? 'the connection broke' : `closed by the server (${code})`);
        },
      });
      listening.life.deliver(() => server.accept(made, link));
      scheduler.in(down.delayMs(), () => life.deliver(() => made.dialler.isOpen && events.opened()));
    };
    scheduler.in(device.way.up.delayMs() * 2, arrive);
    return {
      send: (text) => {
        const said = filter?.sent ? filter.sent(device.card.claimed(text)) : device.card.claimed(text);
        if (said !== null) connection?.dialler.send(said);
      },
      terminate: () => {
        if (connection) return connection.dialler.close(null);
        if (isCancelled) return;
        isCancelled = true;
        queueMicrotask(() => life.attempt(() => events.closed(null, 'given up')));
      },
    };
  };
}

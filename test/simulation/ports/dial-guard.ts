import type { DialLines } from '@relaygate/device-agent/ipc/line-connection';
import type { Incarnation } from '../machines/incarnation';
import type { Stage } from '../machines/stage';
import type { LocalSocket } from '../people/technician';
import type { DeviceWitness } from '../witnesses/device-witness';
import { Connection, type Way } from './connection';

interface GuardSocket {
  way: Way;
  witness: DeviceWitness;
  /** Null: no guard has ever listened. */
  socket(): LocalSocket | null;
}

/** How an agent reaches the guard of its machine. */
export function dialGuard(world: Stage, life: Incarnation, { way, witness, socket }: GuardSocket): DialLines {
  const { scheduler, sabotage } = world;
  return (events) => {
    let close = (): void => {};
    let send = (_line: string): void => {};
    let isCancelled = false;
    scheduler.in(0.1, () => {
      life.deliver(() => {
        const guard = socket();
        if (isCancelled) return events.closed(null);
        if (!guard?.life.isAlive) return events.closed({ code: 'ECONNREFUSED', message: 'nobody listens' });
        const connection = new Connection(scheduler, { dialler: life, server: guard.life }, way);
        const { dialler, server } = connection;
        dialler.listen({ text: (line) => events.line(line), closed: () => events.closed(null) });
        server.tap = (line) => witness.reply(line);
        const serving = guard.serve({ send: (line) => server.send(line), close: () => server.close(null) });
        server.listen({
          text: (line) => {
            const heard = sabotage.toGuard ? sabotage.toGuard(line) : line;
            witness.request(line, guard.life.isCatchingUp);
            if (heard !== null) serving.line(heard);
          },
          closed: () => serving.closed(null),
        });
        sabotage.guardSocket?.(
          {
            get isOpen() {
              return dialler.isOpen && server.isOpen;
            },
            send: (line) => serving.line(line),
          },
          world,
        );
        send = (line) => dialler.send(line);
        close = () => dialler.close(null);
        events.opened();
      });
    });
    return {
      send: (line) => send(line),
      close: () => {
        isCancelled = true;
        close();
      },
    };
  };
}

import { DEFAULT_BAUD } from '@relaygate/shared/limits';
import { inHex, offOrder } from '../off-orders';
import type { BoardKind } from '../relay-board';
import { switchFrame } from '../serial-boards/lcus-frames';
import { LcusRelays } from '../serial-boards/lcus-relays';
import { SerialBoard } from '../serial-boards/serial-board';

export const kind: BoardKind<'lcus'> = ({ port, relays }) => {
  return {
    driver({ clock, openSerial }) {
      const settings = { path: port, baud: DEFAULT_BAUD, parity: 'none' } as const;
      return new SerialBoard({ open: openSerial(), clock, settings, protocol: new LcusRelays(relays) });
    },
    offOrders() {
      const frames = Array.from({ length: relays }, (_, relay) => inHex(switchFrame(relay, 'low'))).join(' ');
      return offOrder('serial', port, String(DEFAULT_BAUD), 'none', frames);
    },
  };
};

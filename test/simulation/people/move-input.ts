import type { Device } from '../machines/device';
import type { World } from '../machines/world';
import type { PlannedStep } from '../plan/plan';

/** Somebody opens and closes a contact, or it flaps: 1,000 times a second, and is open in the end. */
export function moveInput(
  { scheduler }: Pick<World, 'scheduler'>,
  device: Device | undefined,
  { numInput, moves }: Extract<PlannedStep, { do: 'input' }>,
): void {
  if (!device) return;
  const { contacts } = device.board;
  if (moves.kind === 'times') {
    for (const [n, afterMs] of moves.timesMs.entries())
      scheduler.in(afterMs, () => contacts.move(numInput, moves.isActive === (n % 2 === 0)));
    return;
  }
  const flap = (leftMs: number): void => {
    contacts.move(numInput, leftMs > 0 && leftMs % 2 === 0);
    if (leftMs > 0) scheduler.in(1, () => flap(leftMs - 1));
  };
  flap(moves.forMs);
}

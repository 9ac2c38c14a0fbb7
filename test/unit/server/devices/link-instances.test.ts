import { describe, expect, test } from '@jest/globals';
import { withInstance } from '@relaygate/server/devices/link-instances';
import { KEPT_LINK_INSTANCES } from '@relaygate/shared';

/** Whether each of them was back, one after the other. */
function backs(...instanceIds: string[]): boolean[] {
  let known: string[] = [];
  return instanceIds.map((instanceId) => {
    const { instances, isBack } = withInstance(known, instanceId);
    known = instances;
    return isBack;
  });
}

describe('a second device with the same key', () => {
  test('is not seen in a device that restarts or reconnects', () => {
    expect(backs('a', 'a', 'b', 'b', 'c')).toEqual([false, false, false, false, false]);
  });

  test('is seen when an instance links again behind another one', () => {
    expect(backs('a', 'b', 'a', 'a', 'b')).toEqual([false, false, true, false, true]);
  });

  test('is seen also when one of the two, or a third, restarted in between', () => {
    expect(backs('a', 'b', 'a2', 'b')).toEqual([false, false, false, true]);
    expect(backs('a', 'b', 'c', 'a')).toEqual([false, false, false, true]);
  });

  test('is looked for among the last instances only (I15)', () => {
    let known = ['first'];
    for (let n = 0; n < 100; n += 1) known = withInstance(known, `i${n}`).instances;
    expect(known).toHaveLength(KEPT_LINK_INSTANCES);
    expect(withInstance(known, 'first').isBack).toBe(false);
    expect(withInstance(known, 'i99').isBack).toBe(false);
    expect(withInstance(known, known[0] ?? '').isBack).toBe(true);
  });
});

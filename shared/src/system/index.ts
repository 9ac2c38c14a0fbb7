export { monotonicNowMs, systemClock, systemWallClock } from './system-clock';
export { systemRandomness } from './system-randomness';

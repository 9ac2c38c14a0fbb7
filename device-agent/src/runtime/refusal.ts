/** Why this device refuses something: a word for programs with its values, of which a sentence is made where it is shown. */
import type { Cause, Reason } from './cause';

type Nothing = Record<never, never>;
type OfOutput = { numOutput: number };
type Problem = { problem: Cause };
type OfFile = { path: string } & Problem;

/** Of the guard. */
export interface GuardRefusals {
  'no-such-output': OfOutput & { count: number };
  'too-late-for-guard': Nothing;
  'output-busy': OfOutput;
  'state-unsaved': OfOutput;
  'output-stays-on': OfOutput;
}

/** What became of a command that did not simply work; the reasons are those of the link. */
interface CommandRefusals {
  'not-an-impulse-output': OfOutput;
  'state-not-saved': OfOutput;
  'feedback-missing': OfOutput & { input: number | null | undefined };
  'feedback-stuck': OfOutput & { input: number | null | undefined };
  'ended-by-policy': OfOutput & { input: number | null | undefined };
  'ended-by-stop': OfOutput & { input: number | null | undefined };
  'switched-too-soon': OfOutput & { intervalMs: number | undefined };
  'policy-off': OfOutput;
  overtaken: OfOutput;
  stopped: OfOutput;
  'other-pulse': OfOutput;
  interlocked: { interlock: string | null | undefined };
  'interlock-delay': Nothing;
  'interlock-unread': { interlock: string | null | undefined };
  'interlock-broken': OfOutput & { interlock: string | null | undefined };
  'board-away': Nothing;
  'board-failed': Nothing;
  expired: OfOutput;
  // For reasons that need no sentence of their own, or have none here; null: the guard gave none.
  'refused-by-guard': { reason: string | null };
  'unproven-by-guard': OfOutput & { reason: string | null };
}

/** What the answers of a proof cannot mean; phrases. */
export interface ProofProblems {
  'answers-missing': { relays: number; answers: number };
  'no-relay-clicked': OfOutput;
  'no-such-relay': { relay: number; count: number };
  'relay-twice': { relay: number; first: number; second: number };
  'lines-fixed': OfOutput & { relay: number };
}

/** All of them. */
export interface Refusals extends GuardRefusals, CommandRefusals, ProofProblems {
  'asker-gone': Nothing;
  'too-late': Nothing;
  'turn-too-late': Nothing;
  'guard-unreachable': Problem;
  'guard-silent': Nothing;
  'guard-failed': Nothing;
  'history-unwritten': Problem;
  'reset-begun': { so: 'no-lock' | 'no-page' | 'no-reset' };
  // Clicks, and their proof.
  'click-runs': Nothing;
  'clicks-uncertain': { clicks: number; why: Cause };
  'guard-gone-between-clicks': Nothing;
  'nobody-watches': Nothing;
  'maybe-still-on': OfOutput;
  'another-is-on': OfOutput;
  'another-may-be-on': OfOutput;
  'pulse-of-another': OfOutput;
  'relays-being-proven': Nothing;
  'click-settings-left': OfOutput;
  'wiring-changed': Nothing;
  'proof-impossible': { problems: readonly Reason[] };
  'not-clicked': { outputs: readonly number[] };
  'proof-unsaved': Problem & { stands: boolean };
  // Settings and locks.
  'value-not-allowed': { member: string; flag: string; value: string };
  'name-blank': Nothing;
  'name-deceives': Nothing;
  'other-board': Nothing;
  'settings-edited': { path: string };
  'settings-unwritten': OfFile & { left: SettingsLeft };
  'lock-unsaved': OfFile & OfOutput & { why: Cause; wasLocked: boolean };
  'unlock-unsaved': OfFile & OfOutput & { mayBeUnlocked: boolean };
  'not-in-force': { why: Cause; isSaved: boolean };
  // The page and its Wi-Fi.
  'page-time': { leastMs: number; mostMs: number; askedMs: number };
  'agent-ending': Nothing;
  'certificate-unsaved': Problem;
  'port-taken': { port: number };
  'page-cannot-listen': Problem;
  'wifi-unmarked': OfFile;
  'no-wifi': Nothing;
  'passphrase-stuck': Problem;
  'no-network-manager': Nothing;
  'wifi-silent': { seconds: number };
  'wifi-failed': Problem;
  'wifi-failed-silently': Nothing;
  // The doctor.
  'doctor-looks': Nothing;
  'doctor-too-slow': { seconds: number };
  'doctor-not-run': Nothing;
}

/** After a change that the disk did not take. */
export type SettingsLeft = 'unchanged' | 'stands-unused' | 'stands-for-now';

/** agent.sock: what each action is asked, and what it answers. */
import type { Static, TSchema } from '@relaygate/shared';
import type { BoardReply, BoardRequest, SiteProfileReply, SiteProfileRequest } from './board';
import type { DeviceStatus, IdentityReply, IdentityRequest, StatusRequest } from './device';
import type { Diagnosis, DoctorRequest } from './doctor';
import type { HistoryReply, HistoryRequest, NewPinReply, NewPinRequest } from './history';
import type { InputReply, InputRequest, InputsReply, InputsRequest } from './inputs';
import type { LockReply, LockRequest, UnlockReply, UnlockRequest } from './locks';
import type { LogReply, LogRequest } from './log';
import type { CommandReply, OutputReply, OutputRequest, PulseRequest, SetRequest, StopRequest } from './outputs';
import type { ClickRequest, ProofReply, ProofRequest, ProveReply, ProveRequest } from './proof';
import type { ResetReply, ResetRequest } from './reset';
import type { WebOffReply, WebOffRequest, WebOnReply, WebOnRequest, WebStatus, WebStatusRequest } from './web';

interface LocalActions {
  status: Of<typeof StatusRequest, DeviceStatus>;
  identity: Of<typeof IdentityRequest, IdentityReply>;
  set: Of<typeof SetRequest, CommandReply>;
  pulse: Of<typeof PulseRequest, CommandReply>;
  stop: Of<typeof StopRequest, CommandReply>;
  output: Of<typeof OutputRequest, OutputReply>;
  inputs: Of<typeof InputsRequest, InputsReply>;
  input: Of<typeof InputRequest, InputReply>;
  board: Of<typeof BoardRequest, BoardReply>;
  'site-profile': Of<typeof SiteProfileRequest, SiteProfileReply>;
  lock: Of<typeof LockRequest, LockReply>;
  unlock: Of<typeof UnlockRequest, UnlockReply>;
  log: Of<typeof LogRequest, LogReply>;
  history: Of<typeof HistoryRequest, HistoryReply>;
  'new-pin': Of<typeof NewPinRequest, NewPinReply>;
  proof: Of<typeof ProofRequest, ProofReply>;
  click: Of<typeof ClickRequest, object>;
  prove: Of<typeof ProveRequest, ProveReply>;
  doctor: Of<typeof DoctorRequest, Diagnosis>;
  'web-on': Of<typeof WebOnRequest, WebOnReply>;
  'web-off': Of<typeof WebOffRequest, WebOffReply>;
  'web-status': Of<typeof WebStatusRequest, WebStatus>;
  'factory-reset': Of<typeof ResetRequest, ResetReply>;
}

interface Of<Request extends TSchema, Reply> {
  /** Each surface says itself until when, and who asks. */
  request: Omit<Static<Request>, 'notAfterMs' | 'actor'>;
  reply: Reply;
}

export type ActionName = keyof LocalActions;
export type Request<Name extends ActionName> = LocalActions[Name]['request'];
export type Reply<Name extends ActionName> = LocalActions[Name]['reply'];

export {
  openParticipants,
  type Participant,
  type ParticipantAccount,
  type Participants,
  type ParticipantsParts,
} from './participants.ts'
export { onParticipantStates, type StateReceiver } from './states.ts'

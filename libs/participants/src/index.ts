export {
  openParticipants,
  type Participant,
  type ParticipantAccount,
  type Participants,
  type ParticipantsParts,
} from './participants.ts'
export { hearParticipantStates, type ToldService } from './states.ts'

/** Why auth-service refuses a command. */
import { refuse, type RefusedBy } from '@causeway/services'

export { refuse }

export type Refused = RefusedBy<'auth-service'>

export function unknownParticipant(name: string): Refused {
  return refuse('PARTICIPANT_UNKNOWN', `there is no FSP ${name}`)
}

/** Why auth-service refuses a command. */
import { refuse, type RefusedBy } from '@causeway/services'

export { refuse }

/** Its own reasons, and those of changes that two persons make: it knows the persons. */
export type RefusedCommand = RefusedBy<'auth-service' | 'approvals'>

export function unknownParticipant(name: string): RefusedCommand {
  return refuse('PARTICIPANT_UNKNOWN', `there is no FSP ${name}`)
}

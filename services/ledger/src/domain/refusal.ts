/** Why a command of an operator is refused, about participants, funds, cover and alarms. */
import { isRefused, refuse, type RefusedBy } from '@causeway/services'

export { isRefused, refuse }

export type Refused = RefusedBy<'participant-lifecycle'>

export function unknownParticipant(name: string): Refused {
  return refuse('PARTICIPANT_UNKNOWN', `there is no participant ${name}`)
}

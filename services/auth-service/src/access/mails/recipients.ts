/** The recipients and the text of e-mails about changes that need a second person. */
import { grants } from '@causeway/services/privileges'
import { mailText, type Mail, type Payload } from '@causeway/events'
import type { Operator, Role } from '../operators/domain/operator.ts'

export type MailedName = 'ParticipantChangeRequested' | 'ParticipantChangeDecided'

export type MailedEvent = {
  readonly [Name in MailedName]: { readonly name: Name; readonly payload: Payload<Name> }
}[MailedName]

type Person = Pick<Operator, 'name' | 'kind' | 'isActive' | 'email' | 'roles'>

export interface Addressee {
  readonly name: string
  readonly email: string
}

/**
 * A request goes to all operators that may approve it, except its maker; a decision goes to the
 * maker. Operators that cannot log in or have no address are left out.
 */
export function recipientsOf(
  event: MailedEvent,
  operators: readonly Person[],
  roles: readonly Pick<Role, 'id' | 'privileges'>[],
): readonly Addressee[] {
  const { createdBy } = event.payload
  const isRecipient = (person: Person): boolean => {
    if (event.name === 'ParticipantChangeDecided') return person.name === createdBy
    const granted = roles
      .filter(({ id }) => person.roles.includes(id))
      .flatMap(({ privileges }) => privileges)
    return person.name !== createdBy && grants(granted, event.payload.approvedWith)
  }
  return operators.flatMap((person) => {
    const { name, kind, isActive, email } = person
    const isReached = kind === 'PERSON' && isActive && email !== null
    return isReached && isRecipient(person) ? [{ name, email }] : []
  })
}

/**
 * Without amounts: an e-mail leaves the hub, and the details are shown where the decision is made.
 */
export function mailOf(event: MailedEvent): Mail {
  const { participantId, requestId, type, createdBy } = event.payload
  const head = [
    ['Change', type],
    ['Participant', participantId],
    ['Requested by', createdBy],
    ['Request', requestId],
  ] as const
  if (event.name === 'ParticipantChangeRequested') {
    return {
      subject: `${participantId}: ${type} waits for a decision`,
      text: mailText([...head, ['Time', event.payload.requestedAt]]),
    }
  }
  const { state, decidedBy, decidedAt, note } = event.payload
  return {
    subject: `${participantId}: ${type} was ${state === 'APPROVED' ? 'approved' : 'rejected'}`,
    text: mailText([
      ...head,
      ['Decided by', decidedBy],
      ['Time', decidedAt],
      ...(note === undefined ? [] : [['Note', note] as const]),
    ]),
  }
}

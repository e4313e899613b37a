/** Who is told by e-mail of a change that two persons make, and in which words. */
import type { Payload } from '@causeway/events'
import type { Operator, Role } from '../operators/domain/operator.ts'
import { grants } from '../operators/domain/privilege.ts'

export type MailedName = 'ParticipantChangeRequested' | 'ParticipantChangeDecided'

export type MailedEvent = {
  readonly [Name in MailedName]: { readonly name: Name; readonly payload: Payload<Name> }
}[MailedName]

export interface Mail {
  readonly subject: string
  readonly text: string
}

type Person = Pick<Operator, 'name' | 'kind' | 'isActive' | 'email' | 'roles'>

export interface Addressee {
  readonly name: string
  readonly email: string
}

/**
 * Of a request everybody who may approve it, but for who asked; of a decision who asked. Who cannot log
 * in or has no address is not told.
 */
export function toldOf(
  event: MailedEvent,
  operators: readonly Person[],
  roles: readonly Pick<Role, 'id' | 'privileges'>[],
): readonly Addressee[] {
  const { createdBy } = event.payload
  const isTold = (person: Person): boolean => {
    if (event.name === 'ParticipantChangeDecided') return person.name === createdBy
    const granted = roles
      .filter(({ id }) => person.roles.includes(id))
      .flatMap(({ privileges }) => privileges)
    return person.name !== createdBy && grants(granted, event.payload.approvedWith)
  }
  return operators.flatMap((person) => {
    const { name, kind, isActive, email } = person
    const isReached = kind === 'PERSON' && isActive && email !== null
    return isReached && isTold(person) ? [{ name, email }] : []
  })
}

/** Without amounts: an e-mail leaves the hub, and what is asked for is looked at where it is decided. */
export function mailOf(event: MailedEvent): Mail {
  const { participantId, requestId, type, createdBy } = event.payload
  const head = [
    ['Change', type],
    ['Participant', participantId],
    ['Asked for by', createdBy],
    ['Request', requestId],
  ] as const
  if (event.name === 'ParticipantChangeRequested') {
    return {
      subject: `${participantId}: ${type} waits for a decision`,
      text: lines([...head, ['Time', event.payload.requestedAt]]),
    }
  }
  const { state, decidedBy, decidedAt, note } = event.payload
  return {
    subject: `${participantId}: ${type} was ${state === 'APPROVED' ? 'approved' : 'rejected'}`,
    text: lines([
      ...head,
      ['Decided by', decidedBy],
      ['Time', decidedAt],
      ...(note === '' ? [] : [['Note', note] as const]),
    ]),
  }
}

function lines(facts: readonly (readonly [name: string, value: string])[]): string {
  return facts.map(([name, value]) => `${name}: ${value}\n`).join('')
}

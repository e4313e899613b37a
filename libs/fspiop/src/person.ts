/** Whether a message concerns a person: names the party anywhere, also in its ILP packet. */
import { decodePacket } from './ilp.ts'

export interface Person {
  readonly partyIdType: string
  readonly partyIdentifier: string
  /** Absent: whatever the sub-id of the party is. */
  readonly partySubId?: string | undefined
}

/** False for what is not JSON, such as an encrypted field. */
export function concernsPerson(body: Buffer, person: Person): boolean {
  const json = parsed(body)
  return json !== undefined && names(json, person)
}

/** The depth of what the edge accepts is bounded. */
function names(value: unknown, person: Person): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((each) => names(each, person))
  const object = value as Readonly<Record<string, unknown>>
  return (
    isThatParty(object, person) ||
    isInPacket(object['ilpPacket'], person) ||
    Object.values(object).some((member) => names(member, person))
  )
}

function isThatParty(object: Readonly<Record<string, unknown>>, person: Person): boolean {
  const { partyIdType, partyIdentifier, partySubId } = person
  const identifier = object['partyIdentifier']
  return (
    object['partyIdType'] === partyIdType &&
    typeof identifier === 'string' &&
    canonical(partyIdType, identifier) === canonical(partyIdType, partyIdentifier) &&
    (partySubId === undefined || object['partySubIdOrType'] === partySubId)
  )
}

/** An MSISDN may have a plus sign. */
function canonical(type: string, identifier: string): string {
  return type === 'MSISDN' ? identifier.replace(/^\+/, '') : identifier
}

function isInPacket(packet: unknown, person: Person): boolean {
  const data = typeof packet === 'string' ? decodePacket(packet)?.data : undefined
  return data !== undefined && concernsPerson(Buffer.from(data), person)
}

/** JSON, or base64url of JSON, as some FSPs fill packets. */
function parsed(body: Buffer): unknown {
  for (const text of [body, Buffer.from(body.toString('latin1'), 'base64url')]) {
    try {
      return JSON.parse(text.toString('utf8'))
    } catch {
      // The other form.
    }
  }
  return undefined
}

/** Fictitious customers of the sandbox FSPs. Their numbers are in a range that is not assigned. */
import type { NamedParty, PartyId } from '@causeway/fsp'

function person(id: string, firstName: string, lastName: string): NamedParty {
  return {
    type: 'MSISDN',
    id,
    name: `${firstName} ${lastName}`,
    personalInfo: { complexName: { firstName, lastName } },
  }
}

/** The first customer of each pays and is paid when none is named. */
const customers = {
  greenbank: [
    person('12025550101', 'Amara', 'Example'),
    person('12025550102', 'Jonas', 'Exempel'),
    person('12025550103', 'ดวงใจ', 'ตัวอย่าง'),
  ],
  bluewallet: [
    person('12025550111', 'Mei', 'Example'),
    person('12025550112', 'Sofía', 'Ejemplo'),
    person('12025550113', 'Бек', 'Мисалов'),
  ],
  amberpay: [person('12025550121', 'Nomsa', 'Mohlala')],
} as const satisfies Readonly<Record<string, readonly [NamedParty, ...NamedParty[]]>>

export type SandboxName = keyof typeof customers

/**
 * The payees of a payroll: of each five in the order of their numbers three are at bluewallet and
 * two at amberpay. The numbers are in the range that Ofcom reserves for drama.
 */
const staff = { first: 447_700_900_000, count: 1_000 } as const
const fspsOfFive = ['bluewallet', 'bluewallet', 'bluewallet', 'amberpay', 'amberpay'] as const

export interface StaffMember {
  readonly fsp: SandboxName
  readonly party: NamedParty
}

/** All of them, in the order of their numbers. */
export function wholeStaff(): readonly StaffMember[] {
  return Array.from({ length: staff.count }, (_, at) => staffMember(at))
}

export function staffOf(fsp: SandboxName): readonly NamedParty[] {
  return wholeStaff().flatMap((member) => (member.fsp === fsp ? [member.party] : []))
}

function staffMember(at: number): StaffMember {
  const party = person(String(staff.first + at), `Worker ${at + 1}`, 'Example')
  return { fsp: fspsOfFive[at % fspsOfFive.length] ?? 'bluewallet', party }
}

function staffMemberWith(digits: string): StaffMember | undefined {
  const at = Number(digits) - staff.first
  return at >= 0 && at < staff.count ? staffMember(at) : undefined
}

export function customersOf(fsp: SandboxName): readonly NamedParty[] {
  return customers[fsp]
}

export function firstCustomerOf(fsp: SandboxName): NamedParty {
  return customers[fsp][0]
}

/** A number with and without its plus sign is the same. */
export function customerOf(fsp: SandboxName, { type, id, subId }: PartyId): NamedParty | undefined {
  if (type !== 'MSISDN' || subId !== undefined) return undefined
  const digits = id.replace(/^\+/, '')
  const own = customers[fsp].find((customer) => customer.id === digits)
  if (own !== undefined) return own
  const member = staffMemberWith(digits)
  return member?.fsp === fsp ? member.party : undefined
}

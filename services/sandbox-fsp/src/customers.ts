/** The invented customers of the sandbox FSPs. Their numbers are of a range that is given to nobody. */
import type { NamedParty, PartyId } from '@causeway/fsp'

function person(id: string, firstName: string, lastName: string): NamedParty {
  return {
    type: 'MSISDN',
    id,
    name: `${firstName} ${lastName}`,
    personalInfo: { complexName: { firstName, lastName } },
  }
}

/** The first of each is the one that pays and is paid when none is named. */
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
} as const satisfies Readonly<Record<string, readonly [NamedParty, ...NamedParty[]]>>

export type SandboxName = keyof typeof customers

export function customersOf(fsp: SandboxName): readonly NamedParty[] {
  return customers[fsp]
}

export function firstCustomerOf(fsp: SandboxName): NamedParty {
  return customers[fsp][0]
}

/** A number is the same with and without its plus sign. */
export function customerOf(fsp: SandboxName, { type, id, subId }: PartyId): NamedParty | undefined {
  if (type !== 'MSISDN' || subId !== undefined) return undefined
  const digits = id.replace(/^\+/, '')
  return customers[fsp].find((customer) => customer.id === digits)
}

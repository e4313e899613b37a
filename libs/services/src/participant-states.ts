/** A participant's permissions depend on its state; the scheme defines the states. */

/** TRANSFERS: it can pay and be paid. FUNDS_IN, FUNDS_OUT: it can deposit, or withdraw. */
export type Permission = 'TRANSFERS' | 'FUNDS_IN' | 'FUNDS_OUT'

/** The scheme's states by name, with what each permits. */
export type States = ReadonlyMap<string, ReadonlySet<Permission>>

const permissions: readonly string[] = ['TRANSFERS', 'FUNDS_IN', 'FUNDS_OUT'] satisfies Permission[]

/** The states that every scheme has, because the administration API has only a flag. */
export const active = 'ACTIVE'
export const inactive = 'INACTIVE'
/** This state is final. */
export const closed = 'CLOSED'

const namePattern = /^[A-Z][A-Z0-9_-]{0,31}$/

/**
 * Reads `ACTIVE=TRANSFERS+FUNDS_IN+FUNDS_OUT;INACTIVE=;SUSPENDED=FUNDS_IN`.
 * @returns the error as a sentence, when the text is invalid
 */
export function readStates(text: string): States | string {
  const states = new Map<string, ReadonlySet<Permission>>()
  for (const part of text.split(';').map((each) => each.trim())) {
    if (part === '') continue
    const [name = '', list, ...rest] = part.split('=').map((each) => each.trim())
    if (!namePattern.test(name) || list === undefined || rest.length > 0) {
      return `'${part}' is not of the form STATE=PERMISSION+PERMISSION`
    }
    if (states.has(name)) return `${name} is listed twice`
    const permitted = list === '' ? [] : list.split('+').map((each) => each.trim())
    const strange = permitted.find((each) => !permissions.includes(each))
    if (strange !== undefined) return `${strange} is none of ${permissions.join(', ')}`
    states.set(name, new Set(permitted as readonly Permission[]))
  }
  if (states.get(active)?.has('TRANSFERS') !== true) return `${active} must permit TRANSFERS`
  if (states.get(inactive)?.has('TRANSFERS') !== false) {
    return `${inactive} must be there and must not permit TRANSFERS`
  }
  return states
}

/** Undefined: the text is valid. */
export function statesFault(text: string): string | undefined {
  const read = readStates(text)
  return typeof read === 'string' ? read : undefined
}

const nothing: ReadonlySet<Permission> = new Set()

/** A state that the scheme no longer has permits nothing. */
export function permittedIn(states: States, state: string): ReadonlySet<Permission> {
  return states.get(state) ?? nothing
}

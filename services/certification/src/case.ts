/** A case of the certification, and how it ends. */
import type { Kit } from './kit.ts'
import type { Exchanged } from './peer.ts'

/** What the FSP under test is in the case. */
export type Role = 'payer' | 'payee' | 'dfsp' | 'pisp'

export const roles: readonly Role[] = ['payer', 'payee', 'dfsp', 'pisp']

export interface Case {
  readonly id: string
  /** The rule, as a sentence about the FSP. */
  readonly title: string
  readonly role: Role
  /** Of the specification. */
  readonly section: string
  /** Resolves when the rule is kept; rejects with Unmet or NotRun. */
  readonly run: (kit: Kit) => Promise<void>
}

/** The FSP broke the rule. */
export class Unmet extends Error {
  readonly expected: string
  readonly seen: string
  constructor(expected: string, seen: string) {
    super(`expected ${expected}, seen ${seen}`)
    this.expected = expected
    this.seen = seen
  }
}

/** The case needs what is not there: a trigger, a key, a customer, a service of the FSP. */
export class NotRun extends Error {}

export type CaseResult = Pick<Case, 'id' | 'title' | 'role' | 'section'> & {
  readonly ms: number
  /** The messages of the case, in their order. */
  readonly messages: readonly Exchanged[]
} & (
    | { readonly state: 'passed' }
    | { readonly state: 'failed'; readonly expected: string; readonly seen: string }
    | { readonly state: 'notRun'; readonly why: string }
  )

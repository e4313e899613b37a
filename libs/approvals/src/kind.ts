/**
 * What a service states of each kind of change that two persons make: the form of its content, and how
 * the change is made. Everything else about requests is the same for all kinds.
 */
import type { AuditedState } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'
import type { RefusalReason, Refused } from '@causeway/services'
import type { z } from 'zod'

/** What a change has made, and what the audit log shows of it. */
export interface Applied {
  readonly type: 'DONE'
  /** As a path, where it is another one than the kind names: an account that the change has opened. */
  readonly subject?: string
  readonly before: AuditedState | null
  readonly after: AuditedState | null
  /**
   * What it replaces: an approval is refused once this is different from what it was at the request. Null:
   * nothing, or the change may be made whatever has changed since.
   */
  readonly replaces: AuditedState | null
  /** Runs when the change is committed. */
  readonly afterCommit?: () => void | Promise<void>
}

/** Of the request whose change is made. */
export interface Making<Prepared> {
  readonly requestId: string
  readonly createdBy: string
  /** By the clock of the database. */
  readonly now: Date
  readonly prepared: Prepared
}

export interface ChangeKind<Content = unknown, Prepared = unknown> {
  /** The actions in the audit log. */
  readonly actions: { readonly request: string; readonly decide: string }
  readonly content: z.ZodType<Content>
  /** The privilege of the maker, which it must still have at the approval; undefined: it is not asked. */
  privilegeOf(content: Content): string | undefined
  /** What is changed, as a path in the audit log. */
  subjectOf(content: Content, requestId: string): string
  /** What the audit log shows of the content. */
  auditedOf(content: Content): AuditedState
  /** Of requests with the same text one waits at a time; null: any number. */
  turnOf(content: Content): string | null
  /** It only takes something away, so it waits beside all others; undefined: never. */
  withdraws?(content: Content): boolean
  /** Asks others, before any transaction. */
  prepare?(content: Content, step: 'REQUEST' | 'APPROVE'): Promise<Prepared | Refused>
  /**
   * Makes the change. A request is stored only if this succeeds, and then it is rolled back, with what it
   * has announced.
   */
  apply(
    tx: Transaction,
    content: Content,
    making: Making<Prepared>,
  ): Promise<Applied | Refused<RefusalReason>>
  /** For a content with secrets; undefined: it has none. */
  readonly sealing?: Sealing<Content>
  /** What stays of the content when the request is decided; undefined: all of it. */
  remains?(content: Content): Partial<Content>
}

/** The secrets are stored apart and encrypted, and deleted with the decision. */
export interface Sealing<Content> {
  /** The content without them: it is stored, listed and audited. */
  shown(content: Content): Content
  seal(requestId: string, content: Content): Buffer
  open(requestId: string, shown: Content, sealed: Buffer): Content
}

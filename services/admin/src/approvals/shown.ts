/** A request for approval in answers: its head, and under `change` what it changes. */
import {
  approvalKindValues,
  type Approval,
  type ApprovalKind,
  type ApprovalState,
} from '@causeway/protos'
import { z } from 'zod'
import { numberMember, readJson, type Json } from '../json.ts'
import { maskedIdentifier } from '../story/domain/mask.ts'
import { shownTime } from '../shapes.ts'

/** The states by their names in the reference architecture. */
export const shownStates = {
  PENDING: 'PEND-APPROVAL',
  APPROVED: 'APPROVED',
  REJECTED: 'REJECTED',
} as const satisfies Readonly<Record<ApprovalState, string>>

export const shownRequest = z
  .strictObject({
    requestId: z.string(),
    /** The kind of change. */
    type: z.enum(approvalKindValues),
    state: z.enum(Object.values(shownStates)),
    createdBy: z.string(),
    createdDate: shownTime,
    /** The requested values, with the member names of the maker's call; amounts are strings. */
    change: z.record(z.string(), z.unknown()),
    /** What it replaces, as it was at the request; null: nothing. */
    replaces: z.record(z.string(), z.unknown()).nullable(),
    decidedBy: z.string().nullable(),
    decidedDate: shownTime.nullable(),
    note: z.string(),
  })
  .meta({ id: 'ChangeRequest' })

type Members = Readonly<Record<string, Json>>

export function requestBody(approval: Approval) {
  const { requestId, kind, state, createdBy, createdAt, note = '' } = approval
  return {
    requestId,
    type: kind,
    state: shownStates[state],
    createdBy,
    createdDate: createdAt,
    ...changeOf(approval),
    decidedBy: approval.decidedBy ?? null,
    decidedDate: approval.decidedAt ?? null,
    note,
  } satisfies Json
}

interface Shown {
  readonly change: Members
  readonly replaces: Members | null
}

/** Kinds whose content is not shown as it is stored. */
const others: Readonly<Partial<Record<ApprovalKind, (stored: Shown) => Shown>>> = {
  ManageFunds: ({ change: { amount = null, currency = null, ...rest }, replaces }) => ({
    change: { ...rest, amount: { amount, currency } },
    replaces,
  }),
  SchemeRules: ({ change, replaces }) => changedRules(change, replaces ?? {}),
  PersonErasure: ({ change: { partyIdType, partyIdentifier }, replaces }) => ({
    change:
      typeof partyIdType === 'string' && typeof partyIdentifier === 'string'
        ? { partyIdType, partyIdentifier: maskedIdentifier(partyIdentifier) }
        : {},
    replaces,
  }),
  Operation: ({ change: { method, uri, body }, replaces }) => ({
    change: {
      operation: `${textOf(method)} ${textOf(uri)}`,
      ...(typeof body === 'string' ? { body: withPlainNumbers(readJson(body)) } : {}),
    },
    replaces,
  }),
}

function changeOf({ kind, contentJson, replacesJson }: Approval): Shown {
  const replaces = replacesJson === undefined ? null : membersOf(replacesJson)
  const stored = { change: membersOf(contentJson), replaces }
  return others[kind]?.(stored) ?? stored
}

function membersOf(json: string): Members {
  return JSON.parse(json) as Members
}

/** Numbers are shown as the text that was sent. */
function withPlainNumbers(value: unknown): Json {
  if (Array.isArray(value)) return value.map(withPlainNumbers)
  if (typeof value !== 'object' || value === null) return value as Json
  const members = Object.entries(value)
  const [first] = members
  if (members.length === 1 && first?.[0] === numberMember) return String(first[1])
  return Object.fromEntries(members.map(([name, member]) => [name, withPlainNumbers(member)]))
}

/**
 * The rules that are set, and the ids of those that are removed; and the rules that both replace.
 *
 * @param content the iteration that the request is based on, and the rules that it asks for
 * @param before the rules of that iteration
 */
function changedRules(content: Members, before: Members) {
  const { iteration = 0, rulesJson } = content
  const after = rulesOf(JSON.parse(typeof rulesJson === 'string' ? rulesJson : '[]') as Json)
  const old = rulesOf(before['rules'])
  const texts = new Map(old.map((rule) => [idOf(rule), JSON.stringify(rule)]))
  const set = after.filter((rule) => texts.get(idOf(rule)) !== JSON.stringify(rule))
  const kept = new Set(after.map(idOf))
  const removed = old.map(idOf).filter((id) => !kept.has(id))
  const changed = new Set([...set.map(idOf), ...removed])
  return {
    change: { iteration, set, removed },
    replaces: { iteration, rules: old.filter((rule) => changed.has(idOf(rule))) },
  }
}

function rulesOf(value: Json | undefined): readonly Members[] {
  return Array.isArray(value) ? (value as readonly Members[]) : []
}

function idOf({ id }: Members): string {
  return textOf(id)
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Defines what keys are for; the same request gets the same definition. */
import { randomUUID } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import type { Database } from '@causeway/postgres'
import { timeMessage } from '../contract.ts'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { record } from '../record.ts'
import { faultOf, type Definition, type KeyDefinition } from './domain/managed-key.ts'
import { definitionOfRequest, insertDefinition } from './store.ts'

export interface DefinitionParts {
  readonly db: Database
  readonly bus: EventBus
}

export interface DefinitionRequest extends Omit<Definition, 'validFrom'> {
  readonly requestId: string
  /** null: now. */
  readonly validFrom: Date | null
  readonly actor: string
}

export async function defineKey(
  { db, bus }: DefinitionParts,
  request: DefinitionRequest,
): Promise<KeyDefinition | RefusedCommand> {
  const known = await definitionOfRequest(db, request.requestId)
  if (known !== undefined) return asBefore(known, request)
  const now = new Date()
  const { requestId, actor, label, usage, type, validTo } = request
  const wanted = { label, usage, type, validFrom: request.validFrom ?? now, validTo }
  const fault = faultOf(wanted, now)
  if (fault !== undefined) return fault
  const definition = { id: randomUUID(), ...wanted, createdAt: now, createdBy: actor }
  const isNew = await db.transaction(async (tx) => {
    if (!(await insertDefinition(tx, requestId, definition))) return false
    record(bus, tx, {
      actor,
      action: 'DefineKey',
      subject: `key-definitions/${definition.id}`,
      before: null,
      after: {
        label,
        usage,
        type,
        validFrom: timeMessage(definition.validFrom),
        validTo: validTo?.toISOString() ?? '',
      },
      at: now,
    })
    return true
  })
  return isNew ? definition : defineKey({ db, bus }, request)
}

function asBefore(
  known: KeyDefinition,
  request: DefinitionRequest,
): KeyDefinition | RefusedCommand {
  const { label, usage, type, validFrom, validTo } = request
  const isSame =
    known.label === label &&
    known.usage === usage &&
    known.type === type &&
    known.validTo?.getTime() === validTo?.getTime() &&
    (validFrom === null || known.validFrom.getTime() === validFrom.getTime())
  return isSame ? known : refuse('MODIFIED', 'requestId was used with other content')
}

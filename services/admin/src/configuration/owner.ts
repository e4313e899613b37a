/**
 * Who registers what can be set, and which secrets exist: a component outside the hub under its own name
 * alone, since a registration can remove values. The hub's own services do it when they start.
 */
import { serviceNames } from '@causeway/services'
import { refused, type Answer } from '../answer.ts'

export function registersItself(actor: string, boundedContextId: string): boolean {
  return actor === boundedContextId && !(serviceNames as readonly string[]).includes(actor)
}

export function notOwner(actor: string, boundedContextId: string): Answer {
  return refused('NOT_OWNER', `${actor} may not register for ${boundedContextId}`)
}

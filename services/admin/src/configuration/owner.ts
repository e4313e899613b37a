/**
 * Who registers what can be set, and which secrets exist: a component outside the hub under its own name
 * alone, since a registration can remove values. The hub's own services do it when they start.
 */
import { serviceNames } from '@causeway/services'
import { refused, type RefusedOperation } from '../answer.ts'

/** Undefined where the caller may register. */
export function refuseOthers(
  actor: string,
  boundedContextId: string,
): RefusedOperation | undefined {
  const isOfHub = (serviceNames as readonly string[]).includes(boundedContextId)
  return actor === boundedContextId && !isOfHub
    ? undefined
    : refused('NOT_OWNER', `${boundedContextId} registers itself`)
}

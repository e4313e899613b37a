/**
 * The program that sets up the hub changes only what it made: hub accounts, a settlement model, and
 * participants of its own. So its secret gives nobody the money or the keys of another FSP.
 */
import { refused, type RefusedOperation } from '../answer.ts'
import { findParticipant, type Upstream } from '../upstream.ts'
import type { GuardedOperation } from './privileges.ts'

/** auth-service makes this operator. */
const setupName = 'setup'
/** Who made participants of a hub without log-in. */
const unknownName = 'unknown'
const creations: ReadonlySet<string> = new Set(['/participants', '/settlementModels'])
const ofParticipant = '/participants/:name'

/** Wraps each operation that manages something; the others are unchanged. */
export function withOwnParticipants(
  deps: Pick<Upstream, 'participants'>,
  operations: readonly GuardedOperation[],
): readonly GuardedOperation[] {
  return operations.map((operation) =>
    operation.privilege.startsWith('MANAGE_') ? bounded(deps, operation) : operation,
  )
}

function bounded(
  deps: Pick<Upstream, 'participants'>,
  operation: GuardedOperation,
): GuardedOperation {
  const { about, path } = operation
  if (path !== ofParticipant && !path.startsWith(`${ofParticipant}/`)) {
    return {
      ...operation,
      run: (call) =>
        call.actor === setupName && !(operation.method === 'POST' && creations.has(path))
          ? Promise.resolve(notOwn)
          : operation.run(call),
    }
  }
  return {
    ...operation,
    about: { ...about, refuses: [...(about.refuses ?? []), 'NOT_OWNER'] },
    async run(call) {
      const isOwn = call.actor !== setupName || (await mayChange(deps, operation, call))
      return isOwn ? operation.run(call) : notOwn
    },
  }
}

const notOwn: RefusedOperation = refused('NOT_OWNER', `${setupName} changes only what it made`)

/** An unknown participant is for the operation to refuse. */
async function mayChange(
  deps: Pick<Upstream, 'participants'>,
  { method, path }: GuardedOperation,
  call: object,
): Promise<boolean> {
  const name = 'name' in call && typeof call.name === 'string' ? call.name : ''
  const participant = await findParticipant(deps, name)
  if (participant === undefined) return true
  if (participant.isHub) return method === 'POST' && path === `${ofParticipant}/accounts`
  return participant.createdBy === setupName || participant.createdBy === unknownName
}

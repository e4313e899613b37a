/** Announcements for services that verify tokens locally. */
import type { EventBus } from '@causeway/bus'
import { newEvent } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'
import type { Operator } from './domain/operator.ts'
import { raiseVersion } from './store.ts'
import { insertInvalidated, type Invalidated } from './session-store.ts'
import { subjectOf } from './tokens.ts'

export async function invalidate(
  bus: EventBus,
  tx: Transaction,
  token: Invalidated,
): Promise<void> {
  await insertInvalidated(tx, token)
  const { tokenId, versionsBelow, expiry } = token
  bus.announce(tx, [
    newEvent('auth-service', 'AuthTokenInvalidated', {
      tokenId,
      ...(versionsBelow === 0 ? {} : { versionsBelow }),
      expiry: expiry.toISOString(),
    }),
  ])
}

/** Invalidates all tokens of the operator that were issued before. */
export async function invalidateTokensOf(
  bus: EventBus,
  tx: Transaction,
  operator: Pick<Operator, 'name' | 'kind'>,
  { now, life_s }: { readonly now: Date; readonly life_s: number },
): Promise<void> {
  const versionsBelow = await raiseVersion(tx, operator.name)
  const expiry = new Date(now.getTime() + life_s * 1_000)
  await invalidate(bus, tx, { tokenId: subjectOf(operator), versionsBelow, expiry })
}

export function announceRole(bus: EventBus, tx: Transaction, roleId: string, now: Date): void {
  bus.announce(tx, [
    newEvent('auth-service', 'PlatformRoleChanged', { roleId, changedAt: now.toISOString() }),
  ])
}

/** The set-up that most tests start from. */
import { randomUUID } from 'node:crypto'
import type { ApiResponse, AdminWorld } from './world.ts'

export const deferredNet = {
  name: 'DEFERREDNET',
  settlementGranularity: 'NET',
  settlementInterchange: 'MULTILATERAL',
  settlementDelay: 'DEFERRED',
  currency: 'USD',
  requireLiquidityCheck: true,
  ledgerAccountType: 'POSITION',
  settlementAccountType: 'SETTLEMENT',
  autoPositionReset: true,
}

async function done(answer: Promise<ApiResponse>): Promise<ApiResponse> {
  const { status, text } = await answer
  if (status >= 300) throw new Error(`answered ${status}: ${text}`)
  return answer
}

/** Hub accounts and a settlement model in USD. */
export async function openScheme({ call }: AdminWorld): Promise<void> {
  for (const type of ['HUB_MULTILATERAL_SETTLEMENT', 'HUB_RECONCILIATION']) {
    await done(call('POST', '/participants/Hub/accounts', { currency: 'USD', type }))
  }
  await done(call('POST', '/settlementModels', deferredNet))
}

/** A participant with an address and a limit of 1000, active; its accounts are empty. */
export async function onboard({ call }: AdminWorld, name: string): Promise<void> {
  await done(call('POST', '/participants', { name, currency: 'USD' }))
  await done(
    call('POST', `/participants/${name}/initialPositionAndLimits`, {
      currency: 'USD',
      limit: { type: 'NET_DEBIT_CAP', value: '1000' },
      initialPosition: 0,
    }),
  )
  const address = { type: 'FSPIOP_CALLBACK_URL', value: `https://${name}.example` }
  await done(call('POST', `/participants/${name}/endpoints`, address))
  await done(call('PUT', `/participants/${name}`, { isActive: true }))
}

export interface ListedAccount {
  readonly id: number
  readonly ledgerAccountType: string
  readonly isActive: number
  readonly value: number
}

export async function accountsOf({ call }: AdminWorld, name: string): Promise<ListedAccount[]> {
  return (await done(call('GET', `/participants/${name}/accounts`))).json as ListedAccount[]
}

export async function accountOf(admin: AdminWorld, name: string, type: string) {
  const found = (await accountsOf(admin, name)).find((row) => row.ledgerAccountType === type)
  if (found === undefined) throw new Error(`${name} has no ${type} account`)
  return found
}

export function deposit(changes: object = {}) {
  return {
    transferId: randomUUID(),
    externalReference: 'bank slip 7',
    action: 'recordFundsIn',
    reason: 'first deposit',
    amount: { amount: '100', currency: 'USD' },
    ...changes,
  }
}

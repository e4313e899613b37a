/**
 * Brings the scheme's currency and the sandbox FSPs into the hub over the administration API. It
 * reads the current state and adds what is missing, so it can run at each start.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { v5 } from 'uuid'
import type { Operator } from './operator.ts'
import type { SandboxFsp } from './sandbox-fsps.ts'

interface ListedAccount {
  readonly id: number
  readonly ledgerAccountType: string
  readonly currency: string
  readonly isActive: number
  readonly value: number
}

interface ListedParticipant {
  readonly name: string
  readonly isActive: number
  readonly accounts: readonly ListedAccount[]
}

const currency = 'USD'
const netDebitCap = '10000'
const deposit = '10000'
const depositIds = '0c9f2f0e-6f5b-4a7f-8f0c-3d2b8f6f9a11'

/** What the hub needs of a new FSP. */
export type NewFsp = Pick<SandboxFsp, 'name' | 'callbackUrl' | 'publicKey' | 'certificate'>

/** Hub accounts, the settlement model, and each FSP with keys, limit, funds and endpoints. */
export async function onboard(operator: Operator, hubName: string, fsps: readonly NewFsp[]) {
  await addHubAccounts(operator, hubName)
  await addSettlementModel(operator)
  for (const fsp of fsps) await onboardFsp(operator, fsp)
}

async function addHubAccounts(operator: Operator, hubName: string): Promise<void> {
  const path = `/participants/${hubName}/accounts`
  const accounts = await operator.get<readonly ListedAccount[]>(path)
  for (const type of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    if (accounts.some((a) => a.ledgerAccountType === type && a.currency === currency)) continue
    await operator.send('POST', path, { currency, type })
  }
}

async function addSettlementModel(operator: Operator): Promise<void> {
  const models = await operator.get<readonly { name: string }[]>('/settlementModels')
  if (models.some(({ name }) => name === 'DEFERREDNET')) return
  await operator.send('POST', '/settlementModels', {
    name: 'DEFERREDNET',
    settlementGranularity: 'NET',
    settlementInterchange: 'MULTILATERAL',
    settlementDelay: 'DEFERRED',
    currency,
    requireLiquidityCheck: true,
    ledgerAccountType: 'POSITION',
    settlementAccountType: 'SETTLEMENT',
    autoPositionReset: true,
  })
}

/** A PISP has no accounts, limits or funds; afterwards the FSPs accept linking. */
export async function onboardPisp(operator: Operator, pisp: NewFsp, fsps: readonly NewFsp[]) {
  const { name, callbackUrl } = pisp
  const participants = await operator.get<readonly ListedParticipant[]>('/participants')
  const known = participants.find((participant) => participant.name === name)
  if (known === undefined) await operator.send('POST', '/participants', { name, type: 'PISP' })
  await addKey(operator, pisp)
  await addCertificate(operator, pisp)
  await addEndpoint(operator, name, 'FSPIOP_CALLBACK_URL', callbackUrl)
  await addEndpoint(operator, name, 'TP_CB_URL_CONSENT_REQUEST_PUT', callbackUrl)
  if (known?.isActive !== 1) await operator.send('PUT', `/participants/${name}`, { isActive: true })
  for (const fsp of fsps) {
    await addEndpoint(operator, fsp.name, 'TP_CB_URL_CONSENT_REQUEST_POST', fsp.callbackUrl)
  }
}

/** A key that the hub already has is left unchanged. */
async function addKey(operator: Operator, { name, publicKey }: NewFsp): Promise<void> {
  await operator.send('POST', `/participants/${name}/keys`, { use: 'sig', publicKey })
}

/** One that the hub already has is left unchanged. */
async function addCertificate(operator: Operator, { name, certificate }: NewFsp): Promise<void> {
  await operator.send('POST', `/participants/${name}/certificates/registrations`, { certificate })
}

async function addEndpoint(
  operator: Operator,
  name: string,
  type: string,
  value: string,
): Promise<void> {
  const path = `/participants/${name}/endpoints`
  const stored = await operator.get<readonly { type: string; value: string }[]>(path)
  if (stored.some((known) => known.type === type && known.value === value)) return
  await operator.send('POST', path, { type, value })
}

async function onboardFsp(operator: Operator, fsp: NewFsp): Promise<void> {
  const { name, callbackUrl } = fsp
  const path = `/participants/${name}`
  const participants = await operator.get<readonly ListedParticipant[]>('/participants')
  const known = participants.find((participant) => participant.name === name)
  if (known === undefined) await operator.send('POST', '/participants', { name, currency })

  const limits = await operator.get<readonly unknown[]>(`${path}/limits?currency=${currency}`)
  if (limits.length === 0) {
    await operator.send('POST', `${path}/initialPositionAndLimits`, {
      currency,
      limit: { type: 'NET_DEBIT_CAP', value: netDebitCap },
      initialPosition: 0,
    })
  }

  await addKey(operator, fsp)
  await addCertificate(operator, fsp)
  await addEndpoint(operator, name, 'FSPIOP_CALLBACK_URL', callbackUrl)

  if (known?.isActive !== 1) await operator.send('PUT', path, { isActive: true })
  await depositFunds(operator, name)
}

/** The first deposit; its id is derived from the FSP, so repeated runs deposit once. */
async function depositFunds(operator: Operator, name: string): Promise<void> {
  const accounts = await operator.get<readonly ListedAccount[]>(`/participants/${name}/accounts`)
  const settlement = accounts.find(
    (account) => account.ledgerAccountType === 'SETTLEMENT' && account.currency === currency,
  )
  if (settlement === undefined) throw new Error(`${name} has no settlement account in ${currency}`)
  await operator.send('POST', `/participants/${name}/accounts/${settlement.id}`, {
    transferId: v5(name, depositIds),
    externalReference: 'sandbox deposit',
    action: 'recordFundsIn',
    reason: 'first deposit of the sandbox',
    amount: { amount: deposit, currency },
  })
}

export interface ClientSecret {
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * The secret with which the FSP gets its tokens. The hub shows it once, so it is stored with the
 * others.
 */
export async function clientSecretOf(
  operator: Operator,
  dataDir: string,
  { name }: SandboxFsp,
): Promise<ClientSecret> {
  const file = join(dataDir, 'secrets', `${name}-client-secret.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as ClientSecret
  const secret = await operator.send<ClientSecret>(
    'POST',
    `/participants/${name}/client-secrets`,
    {},
  )
  writeFileSync(file, JSON.stringify(secret), { mode: 0o600 })
  return secret
}

/** Positions and settlement balances by FSP, from the administration API. */
export type Balances = Readonly<Record<string, { position: number; settlement: number }>>

export async function readBalances(
  operator: Operator,
  fsps: readonly Pick<SandboxFsp, 'name'>[],
): Promise<Balances> {
  const entries = await Promise.all(
    fsps.map(async ({ name }) => {
      const accounts = await operator.get<readonly ListedAccount[]>(
        `/participants/${name}/accounts`,
      )
      const value = (type: string) =>
        accounts.find((a) => a.ledgerAccountType === type && a.currency === currency)?.value ?? 0
      return [name, { position: value('POSITION'), settlement: value('SETTLEMENT') }] as const
    }),
  )
  return Object.fromEntries(entries)
}

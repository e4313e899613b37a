/** One rule of decimals wherever an operator sets an amount: four, or those of the currency. */
import { randomUUID } from 'node:crypto'
import {
  accountsService,
  fundsService,
  liquidityService,
  participantsService,
  type Refusal,
  type FundsInstructionKind,
} from '@causeway/protos'
import { afterEach, expect, test } from '@jest/globals'
import { patient } from '../testing/items.ts'
import { onboard, openHubAccounts } from '../testing/scheme.ts'
import { openWorld, type ParticipantLifecycleWorld } from '../testing/world.ts'

let hub: ParticipantLifecycleWorld

afterEach(() => hub.stop())

type Answer = { readonly refusal?: Refusal | null }

async function accountOf(type: string): Promise<number> {
  const query = { name: 'greenbank', currency: 'USD' }
  const { balances } = await hub.participants.RequestAccountsPositions(query, patient)
  return balances?.accounts.find((one) => one.ledgerAccountType === type)?.id ?? 0
}

/** Each way in which an amount enters, with its answer to this one. */
async function answersTo(amount: string): Promise<Readonly<Record<string, Answer>>> {
  const client = <
    Service extends Parameters<ParticipantLifecycleWorld['parts']['grpc']['client']>[0],
  >(
    service: Service,
  ) => hub.parts.grpc.client(service, 'participant-lifecycle')
  const participants = client(participantsService)
  const ids = { position: await accountOf('POSITION'), settlement: await accountOf('SETTLEMENT') }
  const name = 'greenbank'
  const currency = 'USD'
  const limit = { type: 'NET_DEBIT_CAP', value: amount }
  const instruction = (kind: FundsInstructionKind) => ({
    transferId: randomUUID(),
    name,
    accountId: ids.settlement,
    kind,
    amount,
    currency,
    externalReference: 'bank',
    explanation: 'test',
  })
  const funds = {
    participantId: name,
    accountId: ids.settlement,
    amount,
    currency,
    externalReference: 'bank',
    reason: 'test',
  }
  const account = { ledgerAccountType: 'POSITION', currency, limit: amount }
  const { approvals } = hub
  const other = { name: `b${randomUUID().slice(0, 8)}`, currency, createdBy: 'operator' }
  await participants.CreateParticipant(other, patient)
  const begin = (value: string, initialPosition: string) =>
    participants.SetInitialPositionAndLimits(
      { name: other.name, currency, limit: { ...limit, value }, initialPosition },
      patient,
    )
  return {
    deposit: await participants.ManageFundsCreditDebitPairInstruction(
      instruction('DEPOSIT'),
      patient,
    ),
    withdrawal: await participants.ManageFundsCreditDebitPairInstruction(
      instruction('WITHDRAWAL'),
      patient,
    ),
    'funds out': await client(fundsService).RecordFundsOutPrepareReserve(
      instruction('WITHDRAWAL'),
      patient,
    ),
    limit: await participants.UpdateParticipantAccountLimit({ name, currency, limit }, patient),
    exclusion: await client(liquidityService).RecordLiquidityReservationEntries(
      { requestId: randomUUID(), name, currency, mode: 'AMOUNT', value: amount, actor: 'ada' },
      patient,
    ),
    'initial limit': await begin(amount, '1'),
    'initial position': await begin('100', `-${amount}`),
    'limit of a new account': await client(accountsService).CreateParticipantAccountWithLimits(
      {
        requestId: randomUUID(),
        name: other.name,
        actor: 'ada',
        accounts: [{ ...account, clientAccountKey: 'a' }],
      },
      patient,
    ),
    'requested deposit': await approvals.request('ManageFunds', { ...funds, direction: 'DEPOSIT' }),
    'requested withdrawal': await approvals.request('ManageFunds', {
      ...funds,
      direction: 'WITHDRAWAL',
    }),
    'requested exclusion': await approvals.request('ReserveLiquidityCover', {
      participantId: name,
      currency,
      mode: 'AMOUNT',
      value: amount,
    }),
    'requested limit': await approvals.request('UpdateAccountLimit', {
      participantId: name,
      accountId: ids.position,
      type: 'NET_DEBIT_CAP',
      value: `1${amount}`,
    }),
    'requested participant': await approvals.request('CreateParticipant', {
      name: `c${randomUUID().slice(0, 8)}`,
      type: 'DFSP',
      currencies: [currency],
      accounts: [account],
      endpoints: [],
    }),
    'requested account': await approvals.request('AddParticipantAccount', {
      ...account,
      participantId: other.name,
    }),
  }
}

const tooMany = {
  reason: 'DECIMALS_TOO_MANY',
  detail: 'amounts in USD have at most 2 decimals',
}

async function open(AMOUNT_DECIMALS: 'four' | 'currency'): Promise<void> {
  hub = await openWorld({ AMOUNT_DECIMALS })
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank')
}

test('Amounts may have four decimals in every currency', async () => {
  await open('four')
  for (const [way, { refusal }] of Object.entries(await answersTo('0.1255'))) {
    expect([way, refusal?.reason]).not.toEqual([way, 'DECIMALS_TOO_MANY'])
  }
})

test('With AMOUNT_DECIMALS=currency no amount has more decimals than its currency', async () => {
  await open('currency')
  for (const [way, { refusal }] of Object.entries(await answersTo('0.125'))) {
    expect([way, refusal]).toEqual([way, tooMany])
  }
  for (const [way, { refusal }] of Object.entries(await answersTo('0.12'))) {
    expect([way, refusal?.reason]).not.toEqual([way, 'DECIMALS_TOO_MANY'])
  }
})

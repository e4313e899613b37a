/** The hub's accounts, and FSPs, created as an operator creates them. */
import { randomUUID } from 'node:crypto'
import type { Calls } from '@causeway/grpc'
import type { participantsService, Refusal } from '@causeway/protos'
import { patient } from './items.ts'
import type { ParticipantLifecycleWorld } from './world.ts'

/** The hub's accounts in a currency. */
export async function openHubAccounts(
  { participants }: ParticipantLifecycleWorld,
  currency = 'USD',
): Promise<void> {
  for (const ledgerAccountType of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    const account = { name: 'Hub', currency, ledgerAccountType, createdBy: 'operator' }
    succeeded(await participants.CreateHubAccount(account, patient))
  }
}

/** An active participant with an address, a net debit cap and, unless it is '0', a deposit. */
export async function onboard(
  { participants }: ParticipantLifecycleWorld,
  name: string,
  cap = '600',
  deposit = '1000',
): Promise<void> {
  const currency = 'USD'
  const limit = { type: 'NET_DEBIT_CAP', value: cap }
  succeeded(
    await participants.CreateParticipant({ name, currency, createdBy: 'operator' }, patient),
  )
  succeeded(await participants.SetInitialPositionAndLimits({ name, currency, limit }, patient))
  const address = { type: 'FSPIOP_CALLBACK_URL', value: `https://${name}.example` }
  succeeded(await participants.UpdateEndpoint({ name, ...address, createdBy: 'operator' }, patient))
  succeeded(await participants.UpdateParticipantState({ name, isActive: true }, patient))
  if (deposit !== '0') succeeded(await depositTo(participants, name, deposit))
}

/** Funds in, with a new id unless one is given. */
export async function depositTo(
  participants: Calls<typeof participantsService>,
  name: string,
  amount: string,
  transferId: string = randomUUID(),
): Promise<{ readonly refusal?: Refusal | null }> {
  const { balances } = await participants.RequestAccountsPositions({ name, currency: 'USD' })
  const account = balances?.accounts.find((one) => one.ledgerAccountType === 'SETTLEMENT')
  return participants.ManageFundsCreditDebitPairInstruction(
    {
      transferId,
      name,
      accountId: account?.id ?? 0,
      kind: 'DEPOSIT',
      amount,
      currency: 'USD',
      externalReference: 'bank 1',
      explanation: 'liquidity',
    },
    patient,
  )
}

/** The command was not refused; gives its answer back. */
export function succeeded<Answer extends { readonly refusal?: { detail: string } | null }>(
  answer: Answer,
): Answer {
  if (answer.refusal) throw new Error(answer.refusal.detail)
  return answer
}

/**
 * Files for reconciliation: the transfers behind each net of a settlement, and every transfer of an
 * FSP in a window or on a day.
 */
import type { Settlement } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { queryDay, queryNumber, word } from '../fields.ts'
import { reads, type Operation } from '../operation.ts'
import { shownAmount, shownTime } from '../shapes.ts'
import {
  findParticipant,
  refusedUpstream,
  unitsOf,
  unknownParticipant,
  type Deps,
} from '../upstream.ts'
import { deadline, paging, rowBody, rowsAnswer, shownRow } from './rows.ts'

const reportSearch = z.object({
  participant: word.optional().meta({ description: 'Only rows of this participant.' }),
  ...paging,
})

const reconciliationSearch = z.object({
  settlementWindowId: queryNumber.optional(),
  day: queryDay.optional().meta({ description: 'In UTC. A window or a day must be given.' }),
  ...paging,
})

const page = {
  transfers: z.array(shownRow),
  /** For the next page; null: there is none. */
  cursor: z.string().nullable(),
}

const shownReport = z.strictObject({
  settlementId: z.int(),
  settlementModel: z.string(),
  state: z.string(),
  createdDate: shownTime,
  changedDate: shownTime,
  nets: z.array(
    z.strictObject({
      participant: z.string(),
      accountId: z.int(),
      currency: z.string(),
      /** Above zero: it owes; below zero: it is owed. */
      net: shownAmount,
      state: z.string(),
      externalReference: z.string().nullable(),
    }),
  ),
  ...page,
})

const shownReconciliation = z.strictObject({ participant: z.string(), ...page })

export function reportOperations(deps: Deps): readonly Operation[] {
  const files = ['text/csv']
  return [
    reads(
      '/v2/settlements/:id/report',
      {
        about: 'The nets of a settlement with each transfer behind them',
        query: reportSearch,
        answers: { 200: shownReport },
        files,
        refuses: ['SETTLEMENT_UNKNOWN'],
      },
      ({ id, query, wanted }) => settlementReport(deps, id, { ...query, wanted }),
    ),
    reads(
      '/participants/:name/reconciliation',
      {
        about: "An FSP's transfers that became final in a window or on a day",
        query: reconciliationSearch,
        answers: { 200: shownReconciliation },
        files,
        refuses: ['PARTICIPANT_UNKNOWN', 'MISSING'],
      },
      ({ name, query, wanted }) => reconciliation(deps, name, { ...query, wanted }),
    ),
  ]
}

async function settlementReport(
  deps: Deps,
  settlementId: number,
  { participant, ...asked }: z.infer<typeof reportSearch> & { readonly wanted: string },
): Promise<OperationResult> {
  return rowsAnswer(
    { ...asked, name: `settlement-${settlementId}` },
    (page) =>
      deps.reports.ListSettlementTransfers({ settlementId, participant, ...page }, deadline),
    async ({ rows, cursor }) => {
      const { settlement, refusal } = await deps.settlements.GetSettlement({ id: settlementId })
      if (refusal) return refusedUpstream(refusal)
      if (!settlement) throw new Error('a settlement was answered with neither record nor refusal')
      return answered(200, {
        ...headOf(settlement, participant),
        transfers: rows.map(rowBody),
        cursor: cursor ?? null,
      })
    },
  )
}

function headOf(settlement: Settlement, participant: string | undefined) {
  return {
    settlementId: settlement.id,
    settlementModel: settlement.model,
    state: settlement.state,
    createdDate: settlement.createdAt,
    changedDate: settlement.changedAt,
    nets: settlement.accounts
      .filter((account) => participant === undefined || account.participant === participant)
      .map((account) => ({
        participant: account.participant,
        accountId: account.accountId,
        currency: account.currency,
        net: unitsOf(account.net),
        state: account.state,
        externalReference: account.externalReference ?? null,
      })),
  }
}

async function reconciliation(
  deps: Deps,
  participant: string,
  asked: z.infer<typeof reconciliationSearch> & { readonly wanted: string },
): Promise<OperationResult> {
  const { settlementWindowId: windowId, day } = asked
  if (windowId === undefined && day === undefined)
    return refused('MISSING', 'settlementWindowId or day')
  const known = await findParticipant(deps, participant)
  if (known === undefined) return unknownParticipant(participant)
  const ofWindow = windowId === undefined ? [] : [`-window-${windowId}`]
  const when = [...ofWindow, ...(day === undefined ? [] : [`-${day}`])].join('')
  return rowsAnswer(
    { ...asked, name: `reconciliation-${participant}${when}` },
    (page) => deps.reports.ListReconciliation({ participant, windowId, day, ...page }, deadline),
    ({ rows, cursor }) =>
      answered(200, { participant, transfers: rows.map(rowBody), cursor: cursor ?? null }),
  )
}

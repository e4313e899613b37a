/** The types of ledger accounts; the set is fixed. */
import { z } from 'zod'
import { answered, refused } from '../answer.ts'
import { commands, reads, type Operation } from '../operation.ts'

const types = [
  ['POSITION', 'what a participant owes from transfers', true],
  ['SETTLEMENT', 'the cover of a participant', false],
  ['HUB_RECONCILIATION', "participants' money at the hub's bank", false],
  ['HUB_MULTILATERAL_SETTLEMENT', 'amounts being settled between participants', false],
  ['INTERCHANGE_FEE', 'what a participant owes of interchange fees', true],
  ['INTERCHANGE_FEE_SETTLEMENT', 'interchange fees being settled', false],
] as const

/** Nothing is posted to it, so that no account of it can be opened. */
const hubFee = {
  name: 'HUB_FEE',
  description: "the hub's own fees; not used by this hub",
  isActive: false,
  isSettleable: false,
}

const shownTypes = z.array(
  z.strictObject({
    name: z.string(),
    description: z.string(),
    isActive: z.boolean(),
    isSettleable: z.boolean(),
  }),
)

export function accountTypeOperations(): readonly Operation[] {
  const path = '/ledgerAccountTypes'
  return [
    reads(path, { about: 'The types of ledger accounts', answers: { 200: shownTypes } }, () =>
      Promise.resolve(
        answered(200, [
          ...types.map(([name, description, isSettleable]) => ({
            name,
            description,
            isActive: true,
            isSettleable,
          })),
          hubFee,
        ]),
      ),
    ),
    commands(
      'POST',
      path,
      {
        about: 'Not implemented: the types of ledger accounts are fixed',
        answers: {},
        refuses: ['NOT_BUILT'],
      },
      () => Promise.resolve(refused('NOT_BUILT', 'the types of ledger accounts are fixed')),
    ),
  ]
}

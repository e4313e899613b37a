/** A payroll on a machine that is too slow to pay everyone before the expiration. */
import type { BulkOrder, BulkPaymentResult, BulkProgress } from '@causeway/fsp'
import { expect, test } from '@jest/globals'
import { payStaff } from './payrolls.ts'

/** Pays the first so many of each order; of the others no payee is found in time. */
function slowFsp(paid_max: number) {
  const rounds: number[] = []
  const payBulk = (order: BulkOrder) => {
    const { payments, onProgress } = order
    rounds.push(payments.length)
    const committed = Math.min(paid_max, payments.length)
    const failed = payments.length - committed
    onProgress?.({
      payments: payments.length,
      lookedUp: committed,
      quoted: committed,
      sent: committed,
      committed,
      failed,
      unresolved: 0,
    })
    const results = payments.map((_, at): BulkPaymentResult => {
      const known = { transactionId: `t${at}`, payeeFsp: 'bluewallet', quote: undefined }
      return at < committed
        ? {
            ...known,
            transferId: `p${at}`,
            state: 'COMMITTED',
            fulfilment: '',
            extensions: new Map(),
          }
        : {
            ...known,
            transferId: undefined,
            state: 'ABORTED',
            leg: 'lookup',
            error: { errorCode: '2004', errorDescription: 'the payee was not found in time' },
          }
    })
    return Promise.resolve({ payments: results, bulks: [], ms: 1 })
  }
  return { payBulk, rounds }
}

const order = { amount: '5', currency: 'USD', people: 25 }

test('Who is not paid in time is paid in further rounds, until all are paid', async () => {
  const fsp = slowFsp(10)
  const steps: BulkProgress[] = []
  const answer = await payStaff(fsp, 'greenbank', order, (step) => steps.push(step))
  expect(fsp.rounds).toEqual([25, 15, 5])
  expect(answer.body).toEqual({ ok: true, bulks: [], failures: {}, ms: 3 })
  expect(steps.map(({ payments, committed }) => [payments, committed])).toEqual([
    [25, 10],
    [25, 20],
    [25, 25],
  ])
})

test('A round that pays no one is the last, and its failures are the outcome', async () => {
  const fsp = slowFsp(0)
  const answer = await payStaff(fsp, 'greenbank', order, () => undefined)
  expect(fsp.rounds).toEqual([25])
  expect(answer.body).toMatchObject({ ok: false, failures: { 'lookup 2004': 25 } })
})

test('A payroll with an expiration of its own has one round', async () => {
  const fsp = slowFsp(10)
  const answer = await payStaff(fsp, 'greenbank', { ...order, validForMs: 100 }, () => undefined)
  expect(fsp.rounds).toEqual([25])
  expect(answer.body).toMatchObject({ ok: false, failures: { 'lookup 2004': 15 } })
})

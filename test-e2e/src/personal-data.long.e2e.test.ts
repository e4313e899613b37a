/**
 * A payment between two persons: their identifiers are in no table of messages in plain, in no log at the
 * most detailed level, masked for operators, in full on record, and gone after an erasure.
 */
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { postmasterOf } from './hub/postgres.ts'
import type { Fsp } from './fsp/fsp.ts'
import {
  freePorts,
  newDataDir,
  removeDataDir,
  startHub,
  type HubProcess,
} from './hub/hub-process.ts'
import { joinScheme } from './operator/join.ts'
import { answered, openScheme, operatorAt, personWith, type Operator } from './operator/operator.ts'
import { agree, lookUp, move, newPhoneNumber, newQuote, own, partyOf } from './fsp/payment.ts'
import { insecureSettings } from './hub/scheme.ts'

let dataDir: string
let hub: HubProcess
let operator: Operator
let checker: Operator
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  dataDir = await newDataDir()
  const settings = { LOG_LEVEL: 'trace', ...insecureSettings, ...(await freePorts()) }
  hub = await startHub({ dataDir, settings })
  operator = operatorAt(hub.urls.operator, hub.passwordFile)
  await openScheme(operator)
  const access = { operator, fspUrl: () => hub.urls.fsp, isSafe: false }
  payer = await joinScheme(access, 'greenbank')
  payee = await joinScheme(access, 'bluewallet')
  checker = await personWith(operator, hub.urls.operator, 'grace', ['checker'])
})

afterAll(async () => {
  await hub.stop()
  await Promise.all([payer.stop(), payee.stop()])
  // Fails when the log names a person.
  await removeDataDir(dataDir)
})

const [payerPhone, payeePhone] = [newPhoneNumber(), newPhoneNumber()]

interface Story {
  readonly transaction: { readonly payee: { readonly partyIdentifier: string } } | null
}

/** How many rows of messages hold the text in plain. */
async function rowsWith(text: string): Promise<number> {
  const { socketFolder: host } = postmasterOf(dataDir)
  const client = new pg.Client({ host, user: 'postgres', database: 'causeway' })
  await client.connect()
  try {
    const { rows } = await client.query<{ rows: number }>(
      `select count(*)::integer as rows from (
         select body from transfers.messages union all select body from quoting.messages
       ) m where position(convert_to($1, 'UTF8') in body) > 0`,
      [text],
    )
    return rows[0]?.rows ?? -1
  } finally {
    await client.end()
  }
}

const story = (transferId: string) =>
  answered<Story>(operator.call('GET', `/transfers/${transferId}/story`))

async function pay(): Promise<string> {
  const quote = newQuote(payer, payee, {
    payer: partyOf(payer, payerPhone, 'Ben Example'),
    payee: partyOf(payee, payeePhone, 'Ada Example'),
  })
  const { transfer } = await agree(payer, payee, quote)
  await move(payer, payee, transfer)
  return transfer.transferId
}

let transferId: string

test('Messages are stored encrypted, and the story of the payment masks the parties', async () => {
  await own(payee, payeePhone)
  await lookUp(payer, payee, payeePhone)
  transferId = await pay()
  expect(await rowsWith(payeePhone)).toBe(0)
  expect(await rowsWith('partyIdentifier')).toBe(0)
  const { transaction } = await story(transferId)
  expect(transaction?.payee.partyIdentifier).toBe(`•••••${payeePhone.slice(-4)}`)
})

test('The identifiers in full need a privilege of their own, and each look is on record', async () => {
  const path = `/transfers/${transferId}/parties`
  expect((await checker.call('POST', path)).status).toBe(403)
  expect(await answered(operator.call('POST', path))).toMatchObject({
    payee: { partyIdType: 'MSISDN', partyIdentifier: payeePhone },
  })
  await eventually(async () => {
    const { entries } = await answered<{ readonly entries: readonly object[] }>(
      operator.call('GET', '/audit?actionType=ViewPersonalData'),
    )
    return entries.length === 1 || undefined
  }, 'the audit entry of the look')
})

test('An erased person is in no message any more, and the payment keeps its amount', async () => {
  const { requestId } = await answered<{ readonly requestId: string }>(
    operator.call('POST', '/CreatePersonErasure', {
      partyIdType: 'MSISDN',
      partyIdentifier: payeePhone,
    }),
  )
  const approval = { requestId, decision: 'APPROVE' }
  expect((await operator.call('POST', '/ApproveErasure', approval)).status).toBe(403)
  await answered(checker.call('POST', '/ApproveErasure', approval))
  const erased = await eventually(async () => {
    const erasure = await answered<{
      readonly finishedAt: string | null
      readonly person: object | null
      readonly progress: readonly { readonly service: string; readonly erased: number }[]
    }>(operator.call('POST', `/erasures/${requestId}/run`))
    return erasure.finishedAt === null ? undefined : erasure
  }, 'the end of the erasure')
  expect(erased.person).toBeNull()
  const counts = Object.fromEntries(erased.progress.map(({ service, erased }) => [service, erased]))
  // The request of the quote; the request of the transfer, for its packet; the owner of the number.
  expect(counts).toMatchObject({ quoting: 2, transfers: 1, 'account-lookup': 1 })
  const after = await story(transferId)
  expect(after).toMatchObject({ amount: { amount: 10, currency: 'USD' }, transaction: null })
  const asked = payer.received.length
  await payer.send('GET', `/parties/MSISDN/${payeePhone}`)
  const answer = await payer.await((message) => message.path.endsWith('/error'), { after: asked })
  expect(answer.json()).toMatchObject({ errorInformation: { errorCode: '3204' } })
})

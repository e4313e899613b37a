import { openLog } from '@causeway/process'
import { makeTestCa } from '@causeway/process/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Calls } from './definition.ts'
import { openGrpcHost, type OpenGrpcHost } from './host.ts'
import { renewable } from './identity.ts'
import {
  asOperator,
  isRehearsal,
  NotApproved,
  rehearse,
  type OperatorCheck,
  type OperatorClaim,
} from './operator.ts'
import { item, mirrorService, type Items } from './test-service.ts'

const log = openLog({ name: 'test', level: 'silent' })
const authority = makeTestCa('Hub CA')
const patient = { deadline_ms: 60_000 }
const made: Items = { items: [item(1)], actor: 'ada' }

let hosts: OpenGrpcHost[] = []
/** Between two processes, and within one. */
let apart: Calls<typeof mirrorService>
let within: Calls<typeof mirrorService>
let claims: OperatorClaim[] = []
/** The changes that were made. */
let handled: Items[] = []

beforeAll(async () => {
  const open = (name: string, addressOf?: () => string) =>
    openGrpcHost({
      log,
      listen: '127.0.0.1:0',
      ...(addressOf === undefined ? {} : { addressOf }),
      identity: {
        certificates: renewable({ ...authority.issue(name), ca: authority.certificate }),
        callersOf: () => ['office'],
        servicesOf: (commonName) => [commonName],
      },
    })
  const mirror = await open('mirror')
  const office = await open('office', () => mirror.address)
  hosts = [mirror, office]
  const check: OperatorCheck = {
    caller: 'office',
    needOf: () => 'ALWAYS',
    faultOf(claim) {
      claims.push(claim)
      return Promise.resolve(undefined)
    },
  }
  mirror.checkOperators(check)
  mirror.serve(mirrorService, {
    Reflect(request) {
      handled.push(request)
      return Promise.resolve(request)
    },
    // A question may change something of its own.
    Other: (request) => within.Reflect(request, patient),
  })
  apart = office.client(mirrorService, 'mirror')
  within = mirror.client(mirrorService, 'mirror')
})

beforeEach(() => {
  claims = []
  handled = []
})

afterAll(() => Promise.all(hosts.map((host) => host.stop())))

async function callOf(request: Items): Promise<string> {
  const rehearsed = await rehearse(() => apart.Reflect(request, patient))
  return 'call' in rehearsed ? rehearsed.call : ''
}

test('A rehearsal asks questions and ends at the first change, which is not made', async () => {
  for (const calls of [apart, within]) {
    handled = []
    const asked: Items = { items: [], actor: 'a question' }
    const rehearsed = await rehearse(async () => {
      expect(isRehearsal()).toBe(true)
      await calls.Other(asked, patient)
      await calls.Reflect(made, patient)
      await calls.Reflect(made, patient)
    })
    expect(rehearsed).toEqual({ call: await callOf(made) })
    expect(handled.map(({ actor }) => actor)).toEqual([asked.actor])
  }
  expect(isRehearsal()).toBe(false)
})

test('Work that makes no change is not rehearsed but done', async () => {
  expect(await rehearse(() => Promise.resolve(7))).toEqual({ result: 7 })
  await expect(rehearse(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
})

test('Approved work makes the approved change and no other one', async () => {
  const approved = { token: 'bob', requestId: 'one', call: await callOf(made) }
  for (const calls of [apart, within]) {
    handled = []
    await asOperator(approved, () => calls.Reflect({ ...made, approver: 'bob' }, patient))
    const other = { ...made, items: [item(2)] }
    const changed = asOperator(approved, () => calls.Reflect(other, patient))
    await expect(changed).rejects.toThrow(NotApproved)
    expect(handled).toHaveLength(1)
  }
})

test('The service that is called finds the same call as the one that rehearsed it', async () => {
  const request = fc.record({
    items: fc.array(fc.nat(50).map(item), { maxLength: 3 }),
    actor: fc.string({ unit: 'grapheme' }),
    approver: fc.constantFrom('bob', 'eve'),
  })
  await fc.assert(
    fc.asyncProperty(request, async (sent) => {
      claims = []
      const call = await callOf(sent)
      await asOperator({ token: 'bob', requestId: 'one' }, () => apart.Reflect(sent, patient))
      expect(claims).toEqual([
        {
          actor: sent.actor,
          approver: sent.approver,
          call,
          proof: { token: 'bob', requestId: 'one' },
        },
      ])
    }),
  )
})

test('Calls with another content, or of another maker, are other calls', async () => {
  const calls = [
    made,
    { ...made, actor: 'eve' },
    { items: [item(1)] },
    { ...made, items: [] },
    { ...made, items: [item(1), item(1)] },
    { ...made, items: [{ ...item(1), amount: '' }] },
  ]
  const hashes = await Promise.all(calls.map(callOf))
  expect(new Set(hashes).size).toBe(calls.length)
  expect(await callOf({ ...made, approver: 'bob' })).toBe(hashes[0])
})

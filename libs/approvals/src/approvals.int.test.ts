import { randomUUID } from 'node:crypto'
import { newEvent, onEvents, type Payload } from '@causeway/events'
import { statement, type Database } from '@causeway/postgres'
import { migrationFiles } from '@causeway/postgres/testing'
import { eventually } from '@causeway/process/testing'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { refuse } from '@causeway/services'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { z } from 'zod'
import { openApprovals } from './approvals.ts'
import type { ChangeKind } from './kind.ts'
import { approvalHandlers } from './serve.ts'
import { approvalCalls, wordOf, type ApprovalCalls } from './testing.ts'

/** A limit that two persons change. */
interface Limit {
  readonly name: string
  readonly value: number
}

interface Password {
  readonly name: string
  readonly password?: string | undefined
}

const life_ms = 72 * 3_600_000
const read = statement(`select value from limits where name = $1`)
const write = statement(`
  insert into limits (name, value) values ($1, $2)
  on conflict (name) do update set value = excluded.value`)
const age = statement(`update approvals set created_at = created_at - $1 * interval '1 hour'`)

let parts: TestParts
let db: Database
let calls: ApprovalCalls
const audited: Payload<'/audit-log-write'>[] = []
const committed: string[] = []
const related = new Set<string>()

const limit: ChangeKind<Limit> = {
  actions: { request: 'SetLimit', decide: 'ApproveLimit' },
  content: z.strictObject({ name: z.string().min(1), value: z.int() }),
  privilegeOf: () => 'MANAGE_LIMITS',
  subjectOf: ({ name }) => `limits/${name}`,
  auditedOf: (content) => ({ ...content }),
  turnOf: ({ name }) => name,
  withdraws: ({ value }) => value === 0,
  async apply(tx, { name, value }) {
    const [row] = await tx.query<{ readonly value: number }>(read, [name])
    const before = { value: row?.value ?? null }
    await tx.query(write, [name, value])
    parts.bus.announce(tx, [
      newEvent('config', 'ConfigurationValuesChanged', {
        boundedContextId: name,
        schemaVersion: '1.0.0',
        iterationNumber: value,
        changedKeys: [],
      }),
    ])
    if (value < 0) return refuse('INVALID', 'a limit is not below zero')
    return {
      type: 'DONE',
      before,
      after: { value },
      replaces: before,
      afterCommit: () => void committed.push(name),
    }
  },
}

const password: ChangeKind<Password> = {
  actions: { request: 'SetPassword', decide: 'ApprovePassword' },
  content: z.strictObject({ name: z.string(), password: z.string().optional() }),
  privilegeOf: () => undefined,
  subjectOf: ({ name }) => `passwords/${name}`,
  auditedOf: ({ name }) => ({ name }),
  turnOf: () => null,
  apply: (tx, { name, password: text = '' }) =>
    tx
      .query(write, [`${name} ${text}`, 1])
      .then(() => ({ type: 'DONE', before: null, after: null, replaces: null })),
  sealing: {
    shown: ({ name }) => ({ name }),
    seal: (_, content) => Buffer.from(JSON.stringify(content)).reverse(),
    open: (_, __, sealed) => JSON.parse(Buffer.from(sealed).reverse().toString()) as Password,
  },
  remains: () => ({ name: 'forgotten' }),
}

/** It replaces a text as long as the new one. */
const text: ChangeKind<{ readonly name: string; readonly text: string }> = {
  actions: { request: 'SetText', decide: 'ApproveText' },
  content: z.strictObject({ name: z.string(), text: z.string() }),
  privilegeOf: () => undefined,
  subjectOf: ({ name }) => `texts/${name}`,
  auditedOf: ({ name }) => ({ name }),
  turnOf: ({ name }) => name,
  apply: (_, content) =>
    Promise.resolve({ type: 'DONE', before: null, after: null, replaces: { old: content.text } }),
}

const ownMigrations = new URL('../migrations/', import.meta.url)

/** Another service, whose changes take until `held` is kept. */
async function openOther(began: () => void, held: Promise<void>) {
  const other = await parts.openDatabase({
    url: '',
    schema: 'approvals_other',
    migrations: ownMigrations,
    connections_max: 2,
  })
  const slow: typeof text = {
    ...text,
    async apply(...given) {
      began()
      await held
      return text.apply(...given)
    },
  }
  const { bus } = parts
  const kinds = { Slow: slow }
  const own = openApprovals({ source: 'quoting', db: other, bus, life_ms, kinds, persons: {} })
  return { ...own, close: () => other.close() }
}

beforeAll(async () => {
  parts = await openTestParts()
  db = await parts.openDatabase({
    url: '',
    schema: 'approvals_test',
    hosted: { approvals: ownMigrations },
    migrations: migrationFiles({
      '0001-limits.sql': 'create table limits (name text primary key, value integer not null);',
    }),
    connections_max: 4,
  })
  const approvals = openApprovals({
    source: 'config',
    db,
    bus: parts.bus,
    life_ms,
    kinds: { UpdateAccountLimit: limit, SecretValues: password, SchemeRules: text },
    persons: {
      within: (_, { maker, by, privilege }) =>
        Promise.resolve(
          related.has(by)
            ? refuse('SAME_PERSON', `${by} knows a password of ${maker}, who needs ${privilege}`)
            : undefined,
        ),
    },
  })
  parts.approvals.add('test', approvalHandlers({ approvals, db, life_ms }))
  calls = approvalCalls(parts.grpc, 'test')
  await onEvents(parts.bus, 'test', ['/audit-log-write'], (events) => {
    audited.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
})

beforeEach(async () => {
  await db.query(statement(`delete from approvals`), [])
  await db.query(statement(`delete from limits`), [])
  audited.length = 0
  committed.length = 0
})

afterAll(async () => {
  await db.close()
  await parts.stop()
})

async function valueOf(name: string): Promise<number | undefined> {
  return (await db.query<{ readonly value: number }>(read, [name]))[0]?.value
}

async function requested(name: string, value: number): Promise<string> {
  const { approval, refusal } = await calls.request('UpdateAccountLimit', { name, value })
  if (!approval) throw new Error(refusal?.detail)
  return approval.requestId
}

/** The audit entries of a subject, once there are so many. */
function entriesOf(subject: string, count: number) {
  return eventually(() => {
    const found = audited.filter((entry) => entry.subject === subject)
    return found.length >= count ? found : undefined
  }, `${count} entries of ${subject}`)
}

test('A request changes nothing, an approval makes the change, and both are audited once', async () => {
  const requestId = await requested('cap', 5)
  expect(await valueOf('cap')).toBeUndefined()
  const decided = await calls.decide('UpdateAccountLimit', requestId, { note: 'agreed' })
  expect(decided).toMatchObject({ isApprovedNow: true, approval: { state: 'APPROVED' } })
  expect(await valueOf('cap')).toBe(5)
  expect(committed).toEqual(['cap'])
  const entries = await entriesOf('limits/cap', 2)
  expect(entries.map(({ actionType, before, after }) => [actionType, before, after])).toEqual([
    ['SetLimit', null, { request: 'PEND-APPROVAL', name: 'cap', value: 5 }],
    ['ApproveLimit', { request: 'PEND-APPROVAL', value: null }, { request: 'APPROVED', value: 5 }],
  ])
  expect(entries[1]?.labels).toContainEqual({ key: 'note', value: 'agreed' })
})

test('A change that could not be made now is not requested, and what it announced is not published', async () => {
  expect(wordOf(await calls.request('UpdateAccountLimit', { name: 'cap', value: -1 }))).toBe(
    'INVALID',
  )
  expect(wordOf(await calls.request('UpdateAccountLimit', { name: '', value: 1 }))).toBe('INVALID')
  expect(wordOf(await calls.request('UpdateAccountLimit', { name: 'cap' }))).toBe('INVALID')
  expect(wordOf(await calls.request('ManageFunds', { name: 'cap', value: 1 }))).toBe('INVALID')
  const badId = { requestId: 'not an id' }
  expect(wordOf(await calls.request('UpdateAccountLimit', { name: 'cap', value: 1 }, badId))).toBe(
    'INVALID',
  )
  expect(await calls.pending()).toEqual([])
  let published = 0
  await onEvents(parts.bus, 'changes', ['ConfigurationValuesChanged'], (events) => {
    published += events.length
    return Promise.resolve()
  })
  await calls.make('UpdateAccountLimit', { name: 'first', value: 1 })
  await calls.make('UpdateAccountLimit', { name: 'second', value: 1 })
  await eventually(() => published >= 2, 'the changes')
  expect(published).toBe(2)
})

test('The same request again is answered with what is stored, and other content is refused', async () => {
  const requestId = randomUUID()
  const content = { name: 'cap', value: 5 }
  const states = [
    await calls.request('UpdateAccountLimit', content, { requestId }),
    await calls.request('UpdateAccountLimit', content, { requestId }),
    await calls.request('UpdateAccountLimit', { ...content, value: 6 }, { requestId }),
    await calls.request('UpdateAccountLimit', content, { requestId, actor: 'joan' }),
  ].map(wordOf)
  expect(states).toEqual(['PENDING', 'PENDING', 'MODIFIED', 'MODIFIED'])
  expect(await calls.pending()).toHaveLength(1)
})

test('The maker decides nothing, and the attempt is audited', async () => {
  const requestId = await requested('cap', 5)
  for (const verdict of ['APPROVE', 'REJECT'] as const) {
    const decided = await calls.decide('UpdateAccountLimit', requestId, { actor: 'ada', verdict })
    expect(wordOf(decided)).toBe('SAME_PERSON')
  }
  const entries = await entriesOf('limits/cap', 3)
  expect(entries.map(({ actionSuccessful }) => actionSuccessful)).toEqual([true, false, false])
  expect(await valueOf('cap')).toBeUndefined()
})

test('Two operators who have known a secret of each other are one person, where two are required', async () => {
  related.add('grace')
  const requestId = await requested('cap', 5)
  const apart = await calls.decide('UpdateAccountLimit', requestId, { personsApart: true })
  expect(apart.refusal).toEqual({
    reason: 'SAME_PERSON',
    detail: 'grace knows a password of ada, who needs MANAGE_LIMITS',
  })
  expect(wordOf(await calls.decide('UpdateAccountLimit', requestId))).toBe('APPROVED')
  related.clear()
})

test('The same decision again changes nothing, another one is refused', async () => {
  const requestId = await requested('cap', 5)
  await calls.decide('UpdateAccountLimit', requestId)
  expect(await calls.decide('UpdateAccountLimit', requestId)).toMatchObject({
    isApprovedNow: false,
  })
  expect(wordOf(await calls.decide('UpdateAccountLimit', requestId, { actor: 'joan' }))).toBe(
    'REQUEST_DECIDED',
  )
  expect(wordOf(await calls.decide('UpdateAccountLimit', requestId, { verdict: 'REJECT' }))).toBe(
    'REQUEST_DECIDED',
  )
  expect(committed).toEqual(['cap'])
})

test('A rejected request changes nothing, and a decision of another kind does not find it', async () => {
  const requestId = await requested('cap', 5)
  expect(wordOf(await calls.decide('SecretValues', requestId))).toBe('REQUEST_UNKNOWN')
  expect(wordOf(await calls.decide('UpdateAccountLimit', randomUUID()))).toBe('REQUEST_UNKNOWN')
  expect(wordOf(await calls.decide('UpdateAccountLimit', requestId, { verdict: 'REJECT' }))).toBe(
    'REJECTED',
  )
  expect(await valueOf('cap')).toBeUndefined()
  expect(await calls.pending()).toEqual([])
})

test('An approval that finds the world changed is refused with the difference, and the request waits', async () => {
  const requestId = await requested('cap', 5)
  await db.query(write, ['cap', 3])
  const { refusal } = await calls.decide('UpdateAccountLimit', requestId)
  expect(refusal).toEqual({
    reason: 'STALE',
    detail: `it has changed since ${requestId}, request it again: value was null and is 3`,
  })
  expect(await valueOf('cap')).toBe(3)
  expect(await calls.pending()).toMatchObject([{ requestId, replacesJson: '{"value":null}' }])
})

test('Of the same turn one request waits, until it is decided or has expired', async () => {
  const first = await requested('cap', 5)
  expect(wordOf(await calls.request('UpdateAccountLimit', { name: 'cap', value: 6 }))).toBe(
    'REQUEST_PENDING',
  )
  await requested('other', 6)
  await db.query(age, [72])
  expect(await calls.pending()).toEqual([])
  expect(wordOf(await calls.decide('UpdateAccountLimit', first))).toBe('REQUEST_EXPIRED')
  await requested('cap', 7)
  expect(wordOf(await calls.decide('UpdateAccountLimit', first))).toBe('REQUEST_DECIDED')
  const [entry] = (await entriesOf('limits/cap', 2)).filter(({ after }) =>
    JSON.stringify(after).includes('REJECTED'),
  )
  expect(entry?.securityContext).toMatchObject({ userId: '(expired)' })
})

test('So many requests of one maker wait; those that withdraw something wait beside them', async () => {
  for (let n = 0; n < 100; n += 1) await requested(`limit ${n}`, 1)
  const more = { name: 'one more', value: 1 }
  expect(wordOf(await calls.request('UpdateAccountLimit', more))).toBe('REQUESTS_FULL')
  expect(wordOf(await calls.request('UpdateAccountLimit', { ...more, value: 0 }))).toBe('PENDING')
  const other = { ...more, name: 'of another maker' }
  expect(wordOf(await calls.request('UpdateAccountLimit', other, { actor: 'joan' }))).toBe(
    'PENDING',
  )
})

test('What requests would show is bounded, with what they replace', async () => {
  await db.query(write, ['large', 1])
  for (const [at, word] of ['PENDING', 'REQUESTS_FULL'].entries()) {
    const content = { name: `large ${at}`, text: 'x'.repeat(400_000) }
    expect(wordOf(await calls.request('SchemeRules', content))).toBe(word)
  }
})

test('A transaction of one service holds up no request of another one', async () => {
  const [began, held] = [signal(), signal()]
  const other = await openOther(began.give, held.given)
  const content = { name: 'slow', text: '' }
  const waiting = other.request({ id: randomUUID(), kind: 'Slow', content, by: 'ada' })
  await began.given
  expect(await requested('cap', 5)).toBeDefined()
  held.give()
  expect(await waiting).toMatchObject({ type: 'DONE' })
  await other.close()
})

function signal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { give, given }
}

test('Secrets are stored encrypted while the request waits, and nowhere afterwards', async () => {
  const content = { name: 'mail', password: 'a secret text' }
  const { approval } = await calls.request('SecretValues', content)
  const stored = () =>
    db.query<{ readonly content: string; readonly sealed: Buffer | null }>(
      statement(`select content, sealed from approvals`),
      [],
    )
  expect(approval?.contentJson).toBe('{"name":"mail"}')
  const [waiting] = await stored()
  expect(waiting?.content).not.toContain('secret')
  expect(waiting?.sealed?.length).toBeGreaterThan(0)
  expect(wordOf(await calls.decide('SecretValues', approval?.requestId ?? ''))).toBe('APPROVED')
  expect(await stored()).toEqual([{ content: '{"name":"forgotten"}', sealed: null }])
  expect(await valueOf('mail a secret text')).toBe(1)
  const entries = await entriesOf('passwords/mail', 2)
  expect(JSON.stringify(entries)).not.toContain('secret')
})

test('Of two decisions at the same time one takes effect', async () => {
  const requestId = await requested('cap', 5)
  const outcomes = await Promise.all([
    calls.decide('UpdateAccountLimit', requestId, { actor: 'grace' }),
    calls.decide('UpdateAccountLimit', requestId, { actor: 'joan', verdict: 'REJECT' }),
  ])
  const words = outcomes.map(wordOf)
  expect(words.filter((word) => word === 'REQUEST_DECIDED')).toHaveLength(1)
  expect((await valueOf('cap')) === 5).toBe(words.includes('APPROVED'))
})

test('The list goes on where a page ends, the newest first', async () => {
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) ids.push(await requested(`limit ${n}`, 1))
  const listed = (await calls.pending('UpdateAccountLimit')).map(({ requestId }) => requestId)
  expect(listed.toSorted()).toEqual(ids.toSorted())
  expect(await calls.pages(2)).toEqual([listed.slice(0, 2), listed.slice(2, 4), listed.slice(4)])
})

/** What follows the configuration while it runs: states, currencies of the scheme, scheme rules. */
import * as config from '@causeway/config'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import * as quoting from '@causeway/quoting'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { onboard, openScheme } from '../testing/scheme.ts'
import { openWorld, type ApiResponse, type AdminWorld } from '../testing/world.ts'

let admin: AdminWorld

beforeAll(async () => {
  admin = await openWorld([config, participantLifecycle, settlements, quoting], {
    AMOUNT_DECIMALS: 'currency',
  })
  await openScheme(admin)
  await onboard(admin, 'green')
}, 60_000)

afterAll(() => admin.stop())

function as(person: string) {
  return (method: string, path: string, body?: unknown) =>
    admin.call(method, path, body, { 'x-operator': person })
}

interface Shown {
  readonly schemaVersion: string
  readonly iterationNumber: number
}

/** Requested by ada and approved by grace. */
async function set(context: string, name: string, value: unknown): Promise<void> {
  const path = `/config/schemas/${context}`
  const { json } = await admin.call('GET', path)
  const { schemaVersion, iterationNumber } = json as Shown
  const newValues = [{ name, value }]
  const made = await as('ada')('POST', path, { schemaVersion, iterationNumber, newValues })
  expect(made.status).toBe(202)
  const { requestId } = made.json as { readonly requestId: string }
  const body = { requestId, decision: 'APPROVE' }
  expect((await as('grace')('POST', '/ApproveConfigurationValues', body)).status).toBe(200)
}

function wordOf({ status, json }: ApiResponse): string {
  const { errorInformation } = json as { errorInformation?: { errorCode: string } }
  return `${status} ${errorInformation?.errorCode ?? ''}`.trim()
}

async function isActive(name: string): Promise<unknown> {
  const { json } = await admin.call('GET', `/participants/${name}`)
  return (json as { readonly isActive: number }).isActive
}

const usualStates =
  'ACTIVE=TRANSFERS+FUNDS_IN+FUNDS_OUT;INACTIVE=;SUSPENDED=FUNDS_IN;CLOSED=FUNDS_OUT'

describe('states of participants', () => {
  async function setState(newState: string): Promise<ApiResponse> {
    const body = { participantId: 'green', newState, reason: 'test' }
    const made = await as('ada')('POST', '/UpdateParticipantState', body)
    if (made.status !== 202) return made
    const { requestId } = made.json as { readonly requestId: string }
    return as('grace')('POST', '/ApproveParticipantStateUpdate', { requestId, decision: 'APPROVE' })
  }

  test('A state that operators add can be used at once, and what they permit applies to its participants', async () => {
    expect((await setState('WATCHED')).status).toBe(400)
    const context = 'participant-lifecycle'
    await set(context, 'PARTICIPANT_STATES', `${usualStates};WATCHED=TRANSFERS`)
    await eventually(async () => (await setState('WATCHED')).status === 200, 'the new state')
    expect(await isActive('green')).toBe(1)
    await set(context, 'PARTICIPANT_STATES', `${usualStates};WATCHED=FUNDS_IN`)
    await eventually(async () => (await isActive('green')) === 0, 'the end of its transfers')
    await set(context, 'PARTICIPANT_STATES', null)
    await setState('ACTIVE')
    expect(await isActive('green')).toBe(1)
  })
})

describe('currencies of the scheme', () => {
  const create = (name: string, currency: string) =>
    admin.call('POST', '/participants', { name, currency })

  test('An account is opened only in a currency that operators list, with its decimals', async () => {
    await set('GLOBAL', 'SCHEME_CURRENCIES', [{ currency: 'EUR', decimals: 1 }])
    // Before the list applies, one is created.
    let tries = 0
    const early = () => create(`early${(tries += 1)}`, 'USD')
    await eventually(async () => wordOf(await early()) === '400 3100', 'a refusal')
    const { json } = await admin.call('GET', '/participants/green/accounts')
    const accounts = json as readonly { readonly id: number; readonly ledgerAccountType: string }[]
    const { id } = accounts.find((each) => each.ledgerAccountType === 'SETTLEMENT') ?? { id: 0 }
    const deposit = (amount: string) =>
      admin.call('POST', `/participants/green/accounts/${id}`, {
        transferId: crypto.randomUUID(),
        externalReference: 'a bank statement',
        action: 'recordFundsIn',
        reason: 'deposit',
        amount: { amount, currency: 'USD' },
      })
    // Accounts that exist stay usable.
    expect((await deposit('1.5')).status).toBe(202)
    await set('GLOBAL', 'SCHEME_CURRENCIES', [{ currency: 'USD', decimals: 1 }])
    await eventually(async () => wordOf(await deposit('1.55')) === '400 3100', 'a refusal')
    expect((await deposit('1.5')).status).toBe(202)
    await set('GLOBAL', 'SCHEME_CURRENCIES', null)
    await eventually(async () => (await create('blue', 'USD')).status < 300, 'a participant')
  })

  test.each([
    ['a currency without decimals', [{ currency: 'USD' }]],
    ['five decimals', [{ currency: 'USD', decimals: 5 }]],
    ['what is no list', 'USD'],
  ])('A list with %s is refused', async (_what, value) => {
    const { json } = await admin.call('GET', '/config/schemas/GLOBAL')
    const { schemaVersion, iterationNumber } = json as Shown
    const newValues = [{ name: 'SCHEME_CURRENCIES', value }]
    const body = { schemaVersion, iterationNumber, newValues }
    expect(wordOf(await as('ada')('POST', '/config/schemas/GLOBAL', body))).toBe('400 3100')
  })

  test('No component registers the set of the scheme', async () => {
    const body = { boundedContextId: 'GLOBAL', schemaVersion: '9.0.0' }
    expect(wordOf(await admin.call('POST', '/config/schemas', body))).toBe('403 3000')
  })
})

describe('scheme rules', () => {
  const rule = { type: 'VALIDITY', maxMs: 60_000 }
  const put = (id: string, person = 'ada') => as(person)('PUT', `/scheme-rules/${id}`, rule)
  const decide = (request: unknown, decision: string, person = 'grace') => {
    const { requestId } = request as { readonly requestId: string }
    return as(person)('POST', '/ApproveSchemeRules', { requestId, decision })
  }
  const ids = async () => {
    const { json } = await admin.call('GET', '/scheme-rules')
    return (json as { rules: readonly { id: string }[] }).rules.map(({ id }) => id)
  }

  test('Where the scheme asks for it, another person approves a rule, and then it applies', async () => {
    expect((await put('first')).status).toBe(201)
    await set('quoting', 'SCHEME_RULES_FOUR_EYES', true)
    await eventually(async () => (await put('first')).status === 202, 'a request')
    const { json: list } = await admin.call('GET', '/GetPendingSchemeRules')
    await decide((list as readonly unknown[])[0], 'REJECT')
    const made = await put('second')
    expect(made).toMatchObject({
      status: 202,
      json: { type: 'SchemeRules', change: { set: [{ id: 'second' }], removed: [] } },
    })
    expect(await ids()).toEqual(['first'])
    expect(wordOf(await put('third'))).toBe('400 3000')
    expect(wordOf(await decide(made.json, 'APPROVE', 'ada'))).toBe('403 3000')
    expect((await decide(made.json, 'APPROVE')).json).toMatchObject({ state: 'APPROVED' })
    expect(await ids()).toEqual(['first', 'second'])

    const removal = await as('ada')('DELETE', '/scheme-rules/first')
    expect(removal.json).toMatchObject({ change: { set: [], removed: ['first'] } })
    await decide(removal.json, 'APPROVE')
    expect(await ids()).toEqual(['second'])
    await set('quoting', 'SCHEME_RULES_FOUR_EYES', null)
    await eventually(async () => (await put('third')).status === 201, 'a direct change')
  })
})

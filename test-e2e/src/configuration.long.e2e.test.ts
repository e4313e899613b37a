/** Operators change a bound of the edge while payments go on, and nothing is restarted. */
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Fsp } from './fsp/fsp.ts'
import { answered, personWith, type Operator } from './operator/operator.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'

interface ConfigurationSet {
  readonly schemaVersion: string
  readonly iterationNumber: number
  readonly parameters: readonly {
    readonly name: string
    readonly currentValue: unknown
    readonly isSet: boolean
  }[]
}

interface Entry {
  readonly actionType: string
  readonly actionSuccessful: boolean
  readonly securityContext: { readonly userId: string }
}

const path = '/config/schemas/fspiop-api'

let scheme: Scheme
let maker: Operator
let checker: Operator
let fsp: Fsp

beforeAll(async () => {
  scheme = await openSchemeOfFsps()
  fsp = await scheme.join('greenbank')
  const { operator } = scheme.hub.urls
  maker = await personWith(scheme.operator, operator, 'ada', ['maker', 'checker'])
  checker = await personWith(scheme.operator, operator, 'grace', ['checker'])
})

afterAll(() => scheme.stop())

async function request(newValues: Readonly<Record<string, unknown>>): Promise<string> {
  const { schemaVersion, iterationNumber } = await answered<ConfigurationSet>(
    maker.call('GET', path),
  )
  const { requestId } = await answered<{ readonly requestId: string }>(
    maker.call('POST', path, {
      schemaVersion,
      iterationNumber,
      newValues: Object.entries(newValues).map(([name, value]) => ({ name, value })),
    }),
  )
  return requestId
}

function approve(operator: Operator, requestId: string) {
  return operator.call('POST', '/ApproveConfigurationValues', { requestId, decision: 'APPROVE' })
}

async function change(newValues: Readonly<Record<string, unknown>>): Promise<void> {
  await answered(approve(checker, await request(newValues)))
}

/** The statuses of ten questions, one right after the other. */
async function ask(): Promise<readonly number[]> {
  const questions = Array.from({ length: 10 }, (_, at) =>
    fsp.send('GET', `/participants/MSISDN/2769${at}`),
  )
  return (await Promise.all(questions)).map(({ status }) => status)
}

test('A new bound of the edge applies without a restart, and so does the way back', async () => {
  expect(await ask()).toEqual(Array(10).fill(202))
  await change({ FSPIOP_API_RATE_PER_FSP_MAX: 1, FSPIOP_API_BURST_PER_FSP_MAX: 1 })
  await eventually(async () => (await ask()).includes(503), 'refused requests')
  const { parameters } = await answered<ConfigurationSet>(maker.call('GET', path))
  const [burst] = parameters.filter(({ name }) => name === 'FSPIOP_API_BURST_PER_FSP_MAX')
  expect(burst).toMatchObject({ currentValue: 1, isSet: true })
  await change({ FSPIOP_API_RATE_PER_FSP_MAX: null, FSPIOP_API_BURST_PER_FSP_MAX: null })
  await eventually(
    async () => (await ask()).every((status) => status === 202),
    'requests that are accepted again',
  )
})

test('A maker cannot approve the own request, and the change is on record with both persons', async () => {
  const requestId = await request({ NOTIFY_PAYEE_ON_TIMEOUT: false })
  expect((await approve(maker, requestId)).status).toBe(403)
  await answered(approve(checker, requestId))
  const made = await eventually(async () => {
    const { entries } = await answered<{ readonly entries: readonly Entry[] }>(
      scheme.operator.call('GET', `/audit?label=requestId=${requestId}`),
    )
    return entries.length === 3 ? entries : undefined
  }, 'the audit entries')
  const lines = made.map(
    ({ actionType, actionSuccessful, securityContext: { userId } }) =>
      `${userId} ${actionType} ${actionSuccessful}`,
  )
  expect(lines.toSorted()).toEqual([
    'ada ApproveConfigurationValues false',
    'ada ChangeConfigurationValues true',
    'grace ApproveConfigurationValues true',
  ])
})

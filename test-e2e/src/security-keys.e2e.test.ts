/**
 * Security keys of operators and of the users of an application, as their clients see them on the
 * operator port.
 */
import { createAuthenticator } from '@causeway/fsp'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { newOperator } from './parties/console.ts'
import { answered, type Operator, type OperatorAnswer } from './operator/operator.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import {
  registrationBy,
  signatureBy,
  type Challenge,
  type KeyChallenge,
} from './operator/security-key.ts'

interface Session {
  readonly accessToken: string
}

const id = 'ada-security-keys'
const password = 'correct horse battery'
const device = createAuthenticator()

let scheme: Scheme
let administrator: Operator
/** The operator's token. */
let token = ''

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  administrator = scheme.operator
  const { secret } = await newOperator(administrator, id, ['viewer'])
  const first = await answered<Session>(post('/app-basic-auth', { id, secret }))
  await answered(post('/app-change-secret', { id, secret, newSecret: password }, first.accessToken))
  ;({ accessToken: token } = await answered<Session>(logIn()))
})

afterAll(() => scheme.stop())

/** A busy hub answers 503, and the call is repeated. */
async function call(
  method: string,
  path: string,
  body: unknown,
  accessToken = '',
): Promise<OperatorAnswer> {
  return eventually(async () => {
    const answer = await fetch(`${scheme.hub.urls.operator}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(accessToken === '' ? {} : { authorization: `Bearer ${accessToken}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const json: unknown = text === '' ? undefined : JSON.parse(text)
    return answer.status === 503 ? undefined : { status: answer.status, json }
  }, `an answer to ${method} ${path}`)
}

const post = (path: string, body: unknown, accessToken?: string) =>
  call('POST', path, body, accessToken)

const logIn = () => post('/app-basic-auth', { id, secret: password })

test('With a registered key a log-in needs the password and the key', async () => {
  const challenge = await answered<Challenge>(post('/app-fido-register', {}, token))
  const registration = registrationBy(device, challenge, 'blue key')
  expect((await post('/app-fido-register', registration, token)).status).toBe(200)
  const begun = await logIn()
  expect(begun.status).toBe(202)
  const signature = signatureBy(device, begun.json as KeyChallenge)
  const ended = await answered<{ readonly session: Session }>(
    post('/app-fido-authorize', signature),
  )
  token = ended.session.accessToken
  expect((await call('GET', '/participants', undefined, token)).status).toBe(200)
  expect((await post('/app-fido-authorize', signature)).status).toBe(401)
})

test('The key alone logs in, and a copy of it is refused once the key was used', async () => {
  const copy = device.clone()
  const enter = async (key: typeof device) => {
    const begun = await answered<KeyChallenge>(post('/app-fido-log-in', {}))
    return post('/app-fido-authorize', signatureBy(key, begun))
  }
  expect((await enter(device)).status).toBe(200)
  expect((await enter(copy)).status).toBe(401)
})

test('An administrator sees the failed log-ins in the audit log and resets the key', async () => {
  interface Page {
    readonly entries: readonly {
      readonly actionType: string
      readonly actionSuccessful: boolean
    }[]
  }
  await eventually(async () => {
    const { entries } = await answered<Page>(administrator.call('GET', `/audit?userId=${id}`))
    const failed = entries.filter(
      ({ actionType, actionSuccessful }) => actionType === 'LogIn' && !actionSuccessful,
    )
    return failed.length >= 2 ? failed : undefined
  }, 'the repeated signature and the copied key in the audit log')
  const keys = `/operators/${id}/fido-keys`
  expect((await administrator.call('DELETE', keys)).status).toBe(204)
  expect((await call('GET', '/app-fido-keys', undefined, token)).status).toBe(401)
  expect((await logIn()).status).toBe(200)
})

test('An application registers, and its user authorizes exactly one transaction', async () => {
  const role = 'wallet-security-keys'
  const label = { labelName: 'Wallet', privileges: ['RUN_FIDO'] }
  await answered(administrator.call('PUT', `/roles/${role}`, label))
  const application = { appName: role, roles: [role] }
  const { id: appId, secret } = await answered<{ readonly id: string; readonly secret: string }>(
    administrator.call('POST', '/app-register', application),
  )
  const { accessToken } = await answered<Session>(post('/app-basic-auth', { id: appId, secret }))
  const ask = <Body>(path: string, body: unknown) => answered<Body>(post(path, body, accessToken))
  const user = createAuthenticator()
  const userId = `customer-${randomUUID()}`
  const origin = 'http://localhost'
  const bytes = ({ challenge }: Challenge) => Buffer.from(challenge, 'base64url')

  const begun = await ask<Challenge>('/fido-register', { userId })
  const { response } = user.register({ challenge: bytes(begun), origin })
  await ask('/fido-register', { userId, challenge: begun.challenge, ...response })

  const transaction = { transactionId: randomUUID(), transactionHash: 'a'.repeat(64) }
  const authorize = async (presented: object) => {
    const made = await ask<Challenge>('/fido-authorize', { userId, ...transaction })
    const { id: credentialId, response: signed } = user.assert({ challenge: bytes(made), origin })
    const body = { credentialId, challenge: made.challenge, ...signed, ...presented }
    return ask('/fido-authorize', body)
  }
  expect(await authorize({ ...transaction, transactionId: randomUUID() })).toEqual({
    authorized: false,
  })
  expect(await authorize(transaction)).toEqual({ authorized: true })
})

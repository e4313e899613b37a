import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as authService from '@causeway/auth-service'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { refusalOf } from '../testing/identities.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-four-eyes-'))
const firstPassword = 'the first password of all'
const password = 'correct horse battery'

let admin: AdminWorld
/** Tokens of the two administrators, who share nothing. */
let one = ''
let two = ''

beforeAll(async () => {
  const file = (name: string) => {
    writeFileSync(join(folder, name), firstPassword)
    return join(folder, name)
  }
  admin = await openWorld([participantLifecycle, authService, settlements], {
    OPERATOR_IDENTITY: 'token',
    FOUR_EYES: 'required',
    AUTH_SERVICE_PASSWORD_COST: '10',
    AUTH_SERVICE_FIRST_PASSWORD_FILE: file('administrator-password'),
    AUTH_SERVICE_SECOND_PASSWORD_FILE: file('administrator2-password'),
  })
  one = await newcomer('administrator', firstPassword)
  two = await newcomer('administrator2', firstPassword)
})

afterAll(async () => {
  await admin.stop()
  rmSync(folder, { recursive: true })
})

function as(token: string, method: string, path: string, body?: unknown) {
  return admin.call(method, path, body, { authorization: `Bearer ${token}` })
}

async function logIn(id: string, secret = password): Promise<string> {
  const { json } = await admin.call('POST', '/app-basic-auth', { id, secret })
  return (json as { readonly accessToken: string }).accessToken
}

/** Changes the first password, and returns a token. */
async function newcomer(id: string, secret: string): Promise<string> {
  const change = { id, secret, newSecret: password }
  await as(await logIn(id, secret), 'POST', '/app-change-secret', change)
  return logIn(id)
}

interface Request {
  readonly requestId: string
  readonly outcome?: { readonly status: number; readonly body: unknown } | null
}

async function request(token: string, method: string, path: string, body?: unknown) {
  const { status, json } = await as(token, method, path, body)
  expect([method, path, status]).toEqual([method, path, 202])
  return json as Request
}

const decide = (token: string, { requestId }: Request, decision = 'APPROVE') =>
  as(token, 'POST', '/ApproveOperation', { requestId, decision })

async function approved(token: string, waiting: Request) {
  const { status, json } = await decide(token, waiting)
  expect(status).toBe(200)
  return (json as Request).outcome
}

function secretIn(outcome: Request['outcome']): string {
  const { secret } = (outcome ?? { body: {} }).body as { readonly secret?: string }
  if (secret === undefined) throw new Error('the outcome has no secret')
  return secret
}

const newPisp = () => ({ name: `p${randomUUID().slice(0, 8)}`, type: 'PISP' })

test('A change waits for another person, and then runs in the name of its maker', async () => {
  const body = newPisp()
  const path = `/participants/${body.name}`
  const waiting = await request(one, 'POST', '/participants', body)
  expect(refusalOf(await as(one, 'GET', path))).toBe('404 3200')
  const { json } = await as(two, 'GET', '/GetPendingOperations')
  expect(json).toContainEqual(
    expect.objectContaining({
      requestId: waiting.requestId,
      createdBy: 'administrator',
      change: { operation: 'POST /participants', body },
    }),
  )
  expect(refusalOf(await decide(one, waiting))).toBe('403 3000')
  expect(refusalOf(await as(one, 'GET', path))).toBe('404 3200')
  expect(await approved(two, waiting)).toMatchObject({ status: 200, body: { name: body.name } })
  expect((await as(one, 'GET', path)).status).toBe(200)
  // The same decision again runs nothing.
  expect(await approved(two, waiting)).toEqual({ status: 200, body: null })
})

test('A rejected change does not run, and cannot be approved any more', async () => {
  const body = newPisp()
  const waiting = await request(one, 'POST', '/participants', body)
  expect((await decide(two, waiting, 'REJECT')).status).toBe(200)
  expect(refusalOf(await decide(two, waiting))).toBe('400 3100')
  expect(refusalOf(await as(one, 'GET', `/participants/${body.name}`))).toBe('404 3200')
})

test('A change that is not possible when it is approved says why', async () => {
  const waiting = await request(one, 'PUT', '/participants/nobody', { isActive: true })
  expect(await approved(two, waiting)).toMatchObject({
    status: 404,
    body: { errorInformation: { errorCode: '3200' } },
  })
})

test('A change that is not valid is refused at once', async () => {
  expect(refusalOf(await as(one, 'POST', '/participants', {}))).toBe('400 3102')
})

test('One person cannot become two: who made an operator decides nothing with it', async () => {
  const second = { name: 'second.self', roles: ['administrator'] }
  const creation = await request(one, 'POST', '/operators', second)
  expect(refusalOf(await as(one, 'GET', '/operators/second.self'))).toBe('404 3200')
  const outcome = await approved(two, creation)
  expect(outcome).toMatchObject({ status: 201 })
  const secret = secretIn(outcome)
  const third = await newcomer('second.self', secret)
  // Both have seen the secret, the one who asked for it and the one who approved.
  for (const token of [one, two]) {
    const waiting = await request(token, 'POST', '/participants', newPisp())
    expect(refusalOf(await decide(third, waiting))).toBe('403 3000')
  }
  const own = await request(third, 'POST', '/participants', newPisp())
  expect(refusalOf(await decide(one, own))).toBe('403 3000')
  // The same holds for the changes that always had two persons.
  const { json } = await as(one, 'POST', '/CreateParticipant', { ...newPisp(), currencies: [] })
  const { requestId } = json as Request
  const approval = { requestId, decision: 'APPROVE' }
  expect(refusalOf(await as(third, 'POST', '/ApproveParticipant', approval))).toBe('403 3000')
  expect((await as(two, 'POST', '/ApproveParticipant', approval)).status).toBe(200)
})

test('A maker who has lost the privilege meanwhile changes nothing', async () => {
  const creation = await request(one, 'POST', '/operators', {
    name: 'leaves',
    roles: ['administrator'],
  })
  const secret = secretIn(await approved(two, creation))
  const waiting = await request(await newcomer('leaves', secret), 'PUT', '/roles/gone', {
    labelName: 'Gone',
    privileges: ['*'],
  })
  const change = { isActive: false }
  await approved(two, await request(one, 'PUT', '/operators/leaves', change))
  expect(refusalOf(await decide(one, waiting))).toBe('403 3000')
  const { json } = await as(one, 'GET', '/roles')
  expect(JSON.stringify(json)).not.toContain('gone')
})

test('Sessions of a colleague are ended by one person alone', async () => {
  expect((await as(one, 'DELETE', '/operators/administrator2/sessions')).status).toBe(204)
  expect((await as(two, 'GET', '/participants')).status).toBe(401)
  two = await logIn('administrator2')
  const { json } = await as(two, 'GET', '/app-sessions')
  const [session] = json as readonly { readonly id: string; readonly isCurrent: boolean }[]
  expect(session?.isCurrent).toBe(true)
  expect((await as(two, 'DELETE', `/app-sessions/${session?.id}`)).status).toBe(204)
  expect((await as(two, 'GET', '/participants')).status).toBe(401)
})

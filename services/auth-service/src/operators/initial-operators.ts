/**
 * Creates the initial operators: the first administrator, who must change the password, and the
 * program that sets up the hub. Both secrets come from files of the operator that starts the hub.
 */
import { readFile } from 'node:fs/promises'
import type { EventBus } from '@causeway/bus'
import type { Database } from '@causeway/postgres'
import { StartError, type Logger } from '@causeway/process'
import { record } from '../record.ts'
import { lockParticipant } from '../participant-lock.ts'
import { password_length_min, recordOf, secret_length_max } from './domain/operator.ts'
import { hashOfSecret, type Secrets } from './secrets.ts'
import {
  allOperators,
  insertOperator,
  operatorsOf,
  saveSecret,
  secretHashOf,
  type NewOperator,
} from './store.ts'

export interface InitialOperatorParts {
  readonly db: Database
  readonly bus: EventBus
  readonly secrets: Secrets
  readonly log: Logger
  /** File names; empty: the operator is not created. */
  readonly passwordFile: string
  readonly setupSecretFile: string
}

const createdBy = 'auth-service'
const administratorName = 'administrator'
const setupName = 'setup'
const setupSecretForm = /^[A-Za-z0-9_-]{43}$/

export async function createInitialOperators(parts: InitialOperatorParts): Promise<void> {
  await createAdministrator(parts)
  await createSetup(parts)
}

/** Only if there is no person yet. */
async function createAdministrator({ db, bus, secrets, log, passwordFile }: InitialOperatorParts) {
  const isPerson = async () => (await allOperators(db)).some(({ kind }) => kind === 'PERSON')
  if (await isPerson()) return
  if (passwordFile === '') {
    log.warn('there is no operator, and AUTH_SERVICE_FIRST_PASSWORD_FILE is not set')
    return
  }
  const password = await readSecret('AUTH_SERVICE_FIRST_PASSWORD_FILE', passwordFile)
  if (password.length < password_length_min || password.length > secret_length_max) {
    throw new StartError(
      `The password in AUTH_SERVICE_FIRST_PASSWORD_FILE must have ${password_length_min} to ${secret_length_max} characters.`,
    )
  }
  const secretHash = await secrets.hashPassword(password)
  if (secretHash === undefined) throw new Error('the first password could not be hashed')
  await add(db, bus, {
    name: administratorName,
    kind: 'PERSON',
    roles: ['administrator'],
    email: null,
    mustChange: true,
    secretHash,
    createdBy,
  })
}

/** A changed secret in the file replaces the stored one. */
async function createSetup({ db, bus, setupSecretFile }: InitialOperatorParts) {
  if (setupSecretFile === '') return
  const secret = await readSecret('AUTH_SERVICE_SETUP_SECRET_FILE', setupSecretFile)
  if (!setupSecretForm.test(secret)) {
    throw new StartError(
      'The content of AUTH_SERVICE_SETUP_SECRET_FILE is not 32 random bytes in base64url.',
    )
  }
  const secretHash = hashOfSecret(secret)
  const known = await secretHashOf(db, setupName)
  if (known === secretHash) return
  if (known === undefined) {
    const roles = ['setup']
    const row = { name: setupName, roles, email: null, mustChange: false, secretHash, createdBy }
    await add(db, bus, { ...row, kind: 'MACHINE' })
    return
  }
  await db.transaction(async (tx) => {
    await lockParticipant(tx, 'operators')
    const [before] = await operatorsOf(tx, [setupName])
    if (before === undefined || (await secretHashOf(tx, setupName)) === secretHash) return
    await saveSecret(tx, setupName, secretHash, false)
    const state = recordOf(before)
    record(bus, tx, {
      actor: createdBy,
      action: 'ResetOperatorSecret',
      subject: `operators/${setupName}`,
      before: state,
      after: state,
      at: new Date(),
    })
  })
}

/** Another replica may have added the operator first. */
async function add(db: Database, bus: EventBus, operator: NewOperator): Promise<void> {
  await db.transaction(async (tx) => {
    await lockParticipant(tx, 'operators')
    const now = new Date()
    if (!(await insertOperator(tx, operator, now))) return
    const [made] = await operatorsOf(tx, [operator.name])
    record(bus, tx, {
      actor: createdBy,
      action: 'CreateOperator',
      subject: `operators/${operator.name}`,
      before: null,
      after: made === undefined ? null : recordOf(made),
      at: now,
    })
  })
}

async function readSecret(setting: string, file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new StartError(`${setting} cannot be read: ${(error as Error).message}.`)
  }
}

/**
 * Creates the initial operators: the first administrator, and a second one who decides what the first
 * one requests, who must change their passwords, and the program that sets up the hub. The secrets come
 * from files of the operator that starts the hub.
 */
import { readFile } from 'node:fs/promises'
import type { EventBus } from '@causeway/bus'
import type { Database } from '@causeway/postgres'
import { StartError, type Logger } from '@causeway/process'
import { record } from '../../record.ts'
import { lockNamed } from '../../lock.ts'
import { password_length_min, recordOf, secret_length_max } from './domain/operator.ts'
import { hashOfSecret, type Secrets } from './secrets.ts'
import {
  allOperators,
  insertOperator,
  operatorsOf,
  saveEnd,
  saveRoles,
  saveSecret,
  secretHashOf,
  type NewOperator,
} from './store.ts'

export interface InitialOperatorParts {
  readonly db: Database
  readonly bus: EventBus
  readonly secrets: Secrets
  readonly log: Logger
  /** File names; undefined: the operator is not created. */
  readonly passwordFile: string | undefined
  readonly secondPasswordFile: string | undefined
  readonly setupSecretFile: string | undefined
  /** How long the setup program may change the hub, after its secret was made. */
  readonly setupLife_ms: number
}

const createdBy = 'auth-service'
export const administratorNames = ['administrator', 'administrator2'] as const
const setupName = 'setup'
const setupSecretForm = /^[A-Za-z0-9_-]{43}$/

export async function createInitialOperators(parts: InitialOperatorParts): Promise<void> {
  await createAdministrators(parts)
  await createSetup(parts)
}

/** The first one if there is no person yet, a second one while there is a single person. */
async function createAdministrators(parts: InitialOperatorParts): Promise<void> {
  const { db, log, passwordFile, secondPasswordFile } = parts
  const persons = async () =>
    (await allOperators(db)).filter(({ kind, isActive }) => kind === 'PERSON' && isActive).length
  if ((await persons()) === 0) {
    if (passwordFile === undefined) {
      log.warn('there is no operator, and AUTH_SERVICE_FIRST_PASSWORD_FILE is not set')
      return
    }
    await addAdministrator(
      parts,
      administratorNames[0],
      await readPassword('AUTH_SERVICE_FIRST_PASSWORD_FILE', passwordFile),
    )
  }
  if (secondPasswordFile === undefined || (await persons()) > 1) return
  await addAdministrator(
    parts,
    administratorNames[1],
    await readPassword('AUTH_SERVICE_SECOND_PASSWORD_FILE', secondPasswordFile),
  )
}

async function addAdministrator(
  { db, bus, secrets }: InitialOperatorParts,
  name: string,
  password: string,
): Promise<void> {
  const secretHash = await secrets.hashPassword(password)
  if (secretHash === undefined) throw new Error(`the first password of ${name} could not be hashed`)
  await add(db, bus, {
    name,
    kind: 'PERSON',
    roles: ['administrator'],
    email: null,
    mustChange: true,
    secretHash,
    createdBy,
    secretBy: [],
  })
}

async function readPassword(setting: string, file: string): Promise<string> {
  const password = await readSecret(setting, file)
  if (password.length < password_length_min || password.length > secret_length_max) {
    throw new StartError(
      `The password in ${setting} must have ${password_length_min} to ${secret_length_max} characters.`,
    )
  }
  return password
}

/** A changed secret in the file replaces the stored one, and the program may set up the hub again. */
async function createSetup({ db, bus, setupSecretFile, setupLife_ms }: InitialOperatorParts) {
  if (setupSecretFile === undefined) return
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
    const maker = { createdBy, secretBy: [] }
    const row = { name: setupName, roles, email: null, mustChange: false, secretHash, ...maker }
    await add(db, bus, { ...row, kind: 'MACHINE', endsAt: new Date(Date.now() + setupLife_ms) })
    return
  }
  await db.transaction(async (tx) => {
    await lockNamed(tx, 'operators')
    const [before] = await operatorsOf(tx, [setupName])
    if (before === undefined || (await secretHashOf(tx, setupName)) === secretHash) return
    const roles = before.roles.map((role) => (role === 'setup-ended' ? 'setup' : role))
    const at = new Date()
    await saveSecret(tx, setupName, secretHash, false)
    await saveRoles(tx, setupName, roles)
    await saveEnd(tx, setupName, new Date(at.getTime() + setupLife_ms))
    record(bus, tx, {
      actor: createdBy,
      action: 'ResetOperatorSecret',
      subject: `operators/${setupName}`,
      before: recordOf(before),
      after: { ...recordOf(before), roles },
      at,
    })
  })
}

/** Another replica may have added the operator first. */
async function add(
  db: Database,
  bus: EventBus,
  { endsAt, ...operator }: NewOperator & { readonly endsAt?: Date },
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockNamed(tx, 'operators')
    const now = new Date()
    if (!(await insertOperator(tx, operator, now))) return
    await saveEnd(tx, operator.name, endsAt ?? null)
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

/**
 * Sessions with a token. An operation of two calls (Init, then the operation) has its session for
 * itself. After a failure the session is replaced, since the operation may still be active in it; what
 * failed because the session was lost, as after a restart of the HSM, is done again once.
 */
import { StartError } from '@causeway/process'
import type { Handle, Mechanism, PKCS11, Template } from 'pkcs11js'
import type { CryptoSettings } from '../settings.ts'
import { attribute, flag, returned, user } from './constants.ts'
import { findToken, type TokenAccess } from './library.ts'

/** One session, for synchronous calls. */
export interface TokenSession {
  readonly library: PKCS11
  readonly handle: Handle
  /** The object with these attributes; undefined: there is none. Throws if there are several. */
  readonly find: (template: Template) => Handle | undefined
}

export interface Token {
  /** Runs synchronous calls, again in a new session if this one is lost. */
  run<Result>(calls: (session: TokenSession) => Result): Result
  /** The same with calls in the thread pool, of at most `sessions_max` callers at once; others wait. */
  use<Result>(calls: (session: TokenSession) => Promise<Result>): Promise<Result>
  /** Signs in the thread pool. */
  sign(template: Template, by: Mechanism, bytes: Buffer): Promise<Buffer>
  close(): void
}

/** As many as the thread pool of Node.js has threads. */
const sessions_max = 4
const signature_bytes_max = 512

/** Throws StartError if the token cannot be opened. */
export async function openToken(settings: Omit<CryptoSettings, 'CRYPTO_PROVIDER'>): Promise<Token> {
  const access = await findToken(settings)
  let main: TokenSession
  try {
    main = openSession(access)
  } catch (error) {
    access.release()
    throw new StartError(`CRYPTO_PKCS11_PIN_FILE: the token refused the log-in: ${nameOf(error)}.`)
  }
  const pool = openPool(access)
  return {
    run(calls) {
      try {
        return calls(main)
      } catch (error) {
        main = replaced(access, main)
        if (!isLost(error)) throw error
        return calls(main)
      }
    },
    use: (calls) => pool.use(calls),
    sign: (template, by, bytes) => pool.sign(template, by, bytes),
    close() {
      pool.close()
      closeSession(main)
      access.release()
    },
  }
}

function openSession({ library, slot, pin }: TokenAccess): TokenSession {
  const handle = library.C_OpenSession(slot, flag.SERIAL_SESSION | flag.RW_SESSION)
  try {
    library.C_Login(handle, user, pin)
  } catch (error) {
    // A log-in is valid for all sessions of the process.
    if (codeOf(error) !== returned.USER_ALREADY_LOGGED_IN) throw error
  }
  return { library, handle, find: (template) => find(library, handle, template) }
}

function closeSession({ library, handle }: TokenSession): void {
  try {
    library.C_CloseSession(handle)
  } catch (error) {
    if (!isLost(error)) throw error
  }
}

function replaced(access: TokenAccess, failed: TokenSession): TokenSession {
  closeSession(failed)
  return openSession(access)
}

function find(library: PKCS11, session: Handle, template: Template): Handle | undefined {
  library.C_FindObjectsInit(session, template)
  try {
    const first = library.C_FindObjects(session, 2)
    if (first.length > 1) throw new Error(`the token has several objects ${wordsOf(template)}`)
    return first[0]
  } finally {
    library.C_FindObjectsFinal(session)
  }
}

function wordsOf(template: Template): string {
  const label = template.find(({ type }) => type === attribute.LABEL)?.value
  return label === undefined ? 'with the same id' : `with the label ${String(label)}`
}

interface Pool {
  use<Result>(calls: (session: TokenSession) => Promise<Result>): Promise<Result>
  sign(template: Template, by: Mechanism, bytes: Buffer): Promise<Buffer>
  close(): void
}

/** Sessions for calls in the thread pool: each is idle, or has one operation under way. */
function openPool(access: TokenAccess): Pool {
  const idle: TokenSession[] = []
  const waiting: ((session: TokenSession) => void)[] = []
  /** A handle is valid in every session; finding the key takes longer than signing with it. */
  const known = new Map<string, Handle>()
  let opened = 0

  async function take(): Promise<TokenSession> {
    const session = idle.pop()
    if (session !== undefined) return session
    if (opened < sessions_max) {
      const added = openSession(access)
      // One that cannot be opened is not counted: with all counted, callers would wait for none.
      opened += 1
      return added
    }
    return new Promise((resolve) => waiting.push(resolve))
  }

  function giveBack(session: TokenSession): void {
    const next = waiting.shift()
    if (next === undefined) idle.push(session)
    else next(session)
  }

  function keyIn(session: TokenSession, template: Template): Handle {
    const name = template.map(({ type, value }) => `${type} ${String(value)}`).join()
    const key = known.get(name) ?? session.find(template)
    if (key === undefined) throw new Error(`the token has no private key ${wordsOf(template)}`)
    known.set(name, key)
    return key
  }

  /**
   * The thread reads bytes that JavaScript may otherwise have forgotten: `calls` lives as long as its
   * operation, and with it what it refers to from outside.
   */
  async function use<Result>(calls: (session: TokenSession) => Promise<Result>): Promise<Result> {
    let session = await take()
    try {
      return await calls(session)
    } catch (error) {
      known.clear()
      session = replaced(access, session)
      if (!isLost(error)) throw error
      return await calls(session)
    } finally {
      giveBack(session)
    }
  }

  return {
    use,
    sign: (template, by, bytes) =>
      use(async (session) => signIn(session, keyIn(session, template), by, bytes)),
    close: () => idle.forEach(closeSession),
  }
}

function signIn(
  { library, handle }: TokenSession,
  key: Handle,
  by: Mechanism,
  bytes: Buffer,
): Promise<Buffer> {
  library.C_SignInit(handle, by, key)
  return new Promise((resolve, reject) => {
    library.C_Sign(handle, bytes, Buffer.alloc(signature_bytes_max), (error, signature) => {
      // On success it is null, although its declaration says otherwise.
      if (error instanceof Error) reject(error)
      else resolve(signature)
    })
  })
}

const lost: readonly number[] = [
  returned.DEVICE_ERROR,
  returned.DEVICE_REMOVED,
  returned.KEY_HANDLE_INVALID,
  returned.SESSION_CLOSED,
  returned.SESSION_HANDLE_INVALID,
  returned.TOKEN_NOT_PRESENT,
  returned.USER_NOT_LOGGED_IN,
]

function isLost(error: unknown): boolean {
  return lost.includes(codeOf(error) ?? -1)
}

/** The return value (CKR) of a call that failed. */
export function codeOf(error: unknown): number | undefined {
  const code: unknown = (error as { readonly code?: unknown } | undefined)?.code
  return typeof code === 'number' ? code : undefined
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

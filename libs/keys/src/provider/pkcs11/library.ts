/**
 * The PKCS#11 library of an HSM, loaded once for a process and shared by its services. The
 * module pkcs11js is native and optional: without it a process with keys in files still starts.
 */
import { readFile } from 'node:fs/promises'
import { StartError } from '@causeway/process'
import type { Handle, PKCS11 } from 'pkcs11js'
import type { CryptoSettings } from '../settings.ts'
import { flag } from './constants.ts'

/** A token, and what opens it. */
export interface TokenAccess {
  readonly library: PKCS11
  readonly slot: Handle
  readonly pin: string
  /** After its last user has released it, the library is finalized. */
  release(): void
}

type TokenSettings = Omit<CryptoSettings, 'CRYPTO_PROVIDER'>

/** Throws StartError for a library, a token or a PIN file that is not there. */
export async function findToken(settings: TokenSettings): Promise<TokenAccess> {
  const { CRYPTO_PKCS11_LIBRARY: path, CRYPTO_PKCS11_TOKEN: label } = settings
  if (path === undefined) throw new StartError('CRYPTO_PKCS11_LIBRARY is not set.')
  if (label === undefined)
    throw new StartError('CRYPTO_PKCS11_TOKEN is not set: name a token of the HSM.')
  const pin = await readPin(settings.CRYPTO_PKCS11_PIN_FILE)
  const library = await use(path)
  const slots = library.C_GetSlotList(true)
  const slot = slots.find((each) => library.C_GetTokenInfo(each).label.trim() === label)
  if (slot === undefined) {
    release(path)
    throw new StartError(`CRYPTO_PKCS11_TOKEN: the HSM has no token with the label ${label}.`)
  }
  return { library, slot, pin, release: () => release(path) }
}

async function readPin(file: string | undefined): Promise<string> {
  if (file === undefined) throw new StartError('CRYPTO_PKCS11_PIN_FILE is not set.')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new StartError(`CRYPTO_PKCS11_PIN_FILE: ${messageOf(error)}.`)
  }
}

const loaded = new Map<string, { readonly library: PKCS11; users: number }>()

async function use(path: string): Promise<PKCS11> {
  const Library = await loadModule()
  const known = loaded.get(path)
  if (known !== undefined) {
    known.users += 1
    return known.library
  }
  const library = new Library()
  try {
    library.load(path)
    library.C_Initialize({ flags: flag.OS_LOCKING_OK })
  } catch (error) {
    throw new StartError(`CRYPTO_PKCS11_LIBRARY: ${messageOf(error)}.`)
  }
  loaded.set(path, { library, users: 1 })
  return library
}

function release(path: string): void {
  const known = loaded.get(path)
  if (known === undefined) return
  known.users -= 1
  if (known.users > 0) return
  loaded.delete(path)
  known.library.C_Finalize()
  known.library.close()
}

async function loadModule(): Promise<typeof PKCS11> {
  try {
    return (await import('pkcs11js')).default.PKCS11
  } catch {
    throw new StartError(
      'CRYPTO_PKCS11_LIBRARY is set, but the module pkcs11js is not built here: run ' +
        'npm run build:hsm, which needs Python 3 and a C++ compiler.',
    )
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

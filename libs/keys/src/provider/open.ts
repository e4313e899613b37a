/** The HSM of a process, if it has one. */
import { StartError } from '@causeway/process'
import { openToken, type Token } from './pkcs11/token.ts'
import type { CryptoSettings } from './settings.ts'

/** Undefined: no HSM is set. Throws StartError if one is set and cannot be opened. */
export async function openHsm(settings: CryptoSettings): Promise<Token | undefined> {
  if (settings.CRYPTO_PKCS11_LIBRARY !== undefined) return openToken(settings)
  if (settings.CRYPTO_PROVIDER === 'node') return undefined
  throw new StartError(
    'CRYPTO_PROVIDER is pkcs11, but CRYPTO_PKCS11_LIBRARY is not set: name the library of the HSM.',
  )
}

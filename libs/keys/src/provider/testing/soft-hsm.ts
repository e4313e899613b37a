/** A token of SoftHSM in a folder of its own. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CryptoSettings } from '../settings.ts'

export interface SoftHsm {
  readonly settings: CryptoSettings
  readonly folder: string
  remove(): void
}

const libraries = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
]

/** The configuration is a variable of this process: SoftHSM reads it when it is first loaded. */
export function makeSoftHsm(): SoftHsm {
  const library = libraries.find((path) => existsSync(path))
  if (library === undefined) throw new Error('SoftHSM is not installed: apt-get install softhsm2')
  const folder = mkdtempSync(join(tmpdir(), 'causeway-hsm-'))
  const tokens = join(folder, 'tokens')
  mkdirSync(tokens)
  const configuration = join(folder, 'softhsm2.conf')
  writeFileSync(configuration, `directories.tokendir = ${tokens}\nlog.level = ERROR\n`)
  process.env['SOFTHSM2_CONF'] = configuration
  const pinFile = join(folder, 'pin')
  writeFileSync(pinFile, '123456\n')
  const create = ['--init-token', '--free', '--label', 'causeway', '--pin', '123456']
  execFileSync('softhsm2-util', [...create, '--so-pin', '12345678'])
  return {
    folder,
    settings: {
      CRYPTO_PROVIDER: 'pkcs11',
      CRYPTO_PKCS11_LIBRARY: library,
      CRYPTO_PKCS11_TOKEN: 'causeway',
      CRYPTO_PKCS11_PIN_FILE: pinFile,
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

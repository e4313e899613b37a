/** A component of a test, with a key of its own in a file. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readComponentKey, verifyComponentSignature, type ComponentKey } from './component-key.ts'

export interface TestComponentKey {
  readonly key: ComponentKey
  readonly verifies: (content: Buffer, signature: Buffer) => boolean
  /** For `<SERVICE>_COMPONENT_KEY_FILE`. */
  readonly file: string
  /** Removes the file. */
  readonly remove: () => void
}

export async function makeComponentKey(): Promise<TestComponentKey> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-component-'))
  const file = join(folder, 'private.pem')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return {
    key: await readComponentKey('COMPONENT_KEY_FILE', file),
    file,
    verifies: (content, signature) => verifyComponentSignature(publicKey, content, signature),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

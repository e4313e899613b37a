/**
 * The file docs/fsp-api.openapi.json: the OpenAPI document of the port for FSPs with all settings at
 * their defaults. `npm run docs` writes the file; a test fails while the file differs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defaultDocument } from '@causeway/fspiop-api/openapi'
import { format } from 'oxfmt'

const file = new URL('../../../docs/fsp-api.openapi.json', import.meta.url)

export function readFspOpenApi(): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

export async function writeFspOpenApi(): Promise<void> {
  const text = JSON.stringify(defaultDocument())
  const { code } = await format(fileURLToPath(file), text, { printWidth: 100 })
  writeFileSync(file, code)
}

/**
 * The file docs/fsp-api.openapi.json: the OpenAPI document of the port for FSPs with all settings at
 * their defaults. Run after a build it writes the file; a test fails while the file differs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = new URL('../../../docs/fsp-api.openapi.json', import.meta.url)

export function readFspOpenApi() {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** @param load imports a module of services/fspiop-api, given as its path below `src/` or `dist/` */
export async function fspOpenApi(load) {
  const { settings } = await load('settings')
  const { servedRoutes } = await load('routes')
  const { openApiDocument } = await load('openapi/document')
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, definition]) => [name, definition.default]),
  )
  // No message is read, so that nothing is asked of these.
  const asked = {
    owners: undefined,
    providers: undefined,
    largeBodies: undefined,
    participants: undefined,
  }
  return openApiDocument(servedRoutes(values, asked), values.COMPATIBILITY)
}

async function main() {
  const { format } = await import('oxfmt')
  const load = (name) => import(`../../../services/fspiop-api/dist/${name}.js`)
  const text = JSON.stringify(await fspOpenApi(load))
  const { code } = await format(fileURLToPath(file), text, { printWidth: 100 })
  writeFileSync(file, code)
}

if (import.meta.url === `file://${process.argv[1]}`) await main()

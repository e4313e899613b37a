/**
 * `npm run sbom`: writes sbom.cdx.json, the software bill of materials (CycloneDX) of the lockfile. Installs
 * what deploy/sbom names. Exits with 3 where npm does not give the packages.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = join(root, 'deploy/sbom')
const { packageManager } = z
  .object({ packageManager: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))

const install = ['install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=warn']
if (run('npx', ['--yes', packageManager, ...install], folder) !== 0) {
  process.stdout.write('NOT RUN: supply-chain: npm cannot install the packages of deploy/sbom\n')
  process.exit(3)
}
// From the lockfile alone: nothing is installed and no other site is asked.
const options = ['--type', 'pnpm', '--no-recurse', '--no-install-deps', '--no-babel']
const output = ['--output', join(root, 'sbom.cdx.json')]
process.exit(run(join(folder, 'node_modules/.bin/cdxgen'), [...options, ...output, root], root))

/** Its exit code. */
function run(program: string, args: readonly string[], cwd: string): number {
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit' })
  if (error !== undefined) throw error
  return status ?? 1
}

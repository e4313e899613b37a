/**
 * `npm run model`: installs what docs/model names, outside the workspace, so that `npm start` and `npm test`
 * do not install it, and checks the model. Exits with 3 where npm does not give the packages.
 *   --write   writes the histories that the tests of services/transfers replay
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../../', import.meta.url)
const folder = fileURLToPath(new URL('docs/model', root))

const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const install = ['install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=warn']
if (run('npx', ['--yes', packageManager, ...install]) !== 0) {
  process.stdout.write('NOT RUN: model: npm cannot install the packages of docs/model\n')
  process.exit(3)
}
const status = run('node', ['check.mjs', ...process.argv.slice(2)])
if (process.argv.includes('--write')) run('npx', ['oxfmt', '../../services/transfers/src/testing'])
process.exit(status)

function run(program, args) {
  const { status, error } = spawnSync(program, args, { cwd: folder, stdio: 'inherit' })
  if (error !== undefined) throw error
  return status ?? 1
}

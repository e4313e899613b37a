/**
 * The stories of test-e2e on containers: `npm run test:containers [-- pattern]`; and what becomes of
 * payments when parts of the hub break, `npm run chaos` (test-e2e/src/chaos). Builds the hub's image
 * (or takes CAUSEWAY_IMAGE), starts PostgreSQL, Kafka and Redis out of theirs, and runs each story on a
 * hub whose services are a container each.
 *
 * Images are settings: CAUSEWAY_IMAGE, NODE_IMAGE (to build it on), POSTGRES_IMAGE, KAFKA_IMAGE,
 * REDIS_IMAGE. Exits with 3, and a sentence, where no Docker answers.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const exit_code_missing = 3
/** What a run starts it stops itself; the container that would look after it need not be had. */
const ownEnd = { TESTCONTAINERS_RYUK_DISABLED: 'true' }

function run(command, args, env = process.env) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env }).status ?? 1
}

function hasDocker() {
  return spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0
}

function buildImage() {
  const { NODE_IMAGE } = process.env
  const base = NODE_IMAGE === undefined ? [] : ['--build-arg', `NODE_IMAGE=${NODE_IMAGE}`]
  const status = run('docker', ['build', '-f', 'deploy/Dockerfile', '-t', 'causeway', ...base, '.'])
  if (status !== 0) process.exit(status)
}

function runChaos(flags) {
  const args = ['--enable-source-maps', 'test-e2e/dist/chaos/main.js', ...flags]
  return run(process.execPath, args, { ...ownEnd, ...process.env })
}

function runStories(patterns) {
  const args = [
    '--conditions=source',
    '--import',
    './libs/tooling/src/jest/hooks.mjs',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    'containers',
    '--testTimeout',
    '120000',
    '--runInBand',
    ...patterns,
  ]
  return run(process.execPath, args, { ...ownEnd, ...process.env })
}

if (!hasDocker()) {
  process.stderr.write('No Docker answers here, so nothing was tested on containers.\n')
  process.exit(exit_code_missing)
}
if (process.env['CAUSEWAY_IMAGE'] === undefined) buildImage()
const [first, ...rest] = process.argv.slice(2)
process.exit(first === 'chaos' ? runChaos(rest) : runStories(process.argv.slice(2)))

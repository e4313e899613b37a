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
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const exit_code_missing = 3
const testRun = randomUUID()
/**
 * What a run starts it stops itself, so the container that would look after it need not be had. Each
 * container of a run has its id as a label: a story that failed in the middle leaves some.
 */
const ownEnd = { TESTCONTAINERS_RYUK_DISABLED: 'true', CAUSEWAY_TEST_RUN: testRun }

function run(command: string, args: readonly string[], env = process.env): number {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env }).status ?? 1
}

function hasDocker(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0
}

function buildImage() {
  const { NODE_IMAGE } = process.env
  const base = NODE_IMAGE === undefined ? [] : ['--build-arg', `NODE_IMAGE=${NODE_IMAGE}`]
  const status = run('docker', ['build', '-f', 'deploy/Dockerfile', '-t', 'causeway', ...base, '.'])
  if (status !== 0) process.exit(status)
}

function removeContainers() {
  const label = `label=causeway.test-run=${testRun}`
  const { stdout } = spawnSync('docker', ['ps', '--all', '--quiet', '--filter', label])
  const left = stdout.toString().split('\n').filter(Boolean)
  if (left.length > 0) spawnSync('docker', ['rm', '--force', ...left])
}

function runChaos(flags: readonly string[]): number {
  const args = ['--enable-source-maps', 'test-e2e/dist/chaos/main.js', ...flags]
  return run(process.execPath, args, { ...ownEnd, ...process.env })
}

function runStories(patterns: readonly string[]): number {
  const args = [
    '--conditions=source',
    '--import',
    './libs/tooling/src/jest/hooks.mjs',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    'containers',
    // Longer than fifteen containers may take to start, so that a hub that cannot start says why.
    '--testTimeout',
    '300000',
    '--runInBand',
    // What a failed story left open does not keep the run from its end.
    '--forceExit',
    ...patterns,
  ]
  return run(process.execPath, args, { ...ownEnd, ...process.env })
}

if (!hasDocker()) {
  process.stderr.write('No Docker answers here, so nothing was tested on containers.\n')
  process.exit(exit_code_missing)
}
if (process.env.CAUSEWAY_IMAGE === undefined) buildImage()
const [first, ...rest] = process.argv.slice(2)
const status = first === 'chaos' ? runChaos(rest) : runStories(process.argv.slice(2))
removeContainers()
process.exit(status)

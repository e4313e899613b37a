/**
 * What `npm start`, `npm test` and their like do first: on a machine with nothing but Node.js and npm
 * they install what the lockfile names, build what is stale, and only then do what they were asked.
 * Uses nothing but Node.js itself, since it runs before anything is installed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const node_modules = join(root, 'node_modules')

const [command = 'start', ...args] = process.argv.slice(2)

/** What runs in this very process, so that signals and exit codes are its own. */
const programs = {
  start: 'services/hub/dist/start.js',
  verify: 'services/hub/dist/verify.js',
  archive: 'services/archive/dist/archive-main.js',
  restore: 'services/archive/dist/restore-main.js',
  bench: 'test-e2e/dist/bench/main.js',
  sizing: 'test-e2e/dist/bench/sizing/main.js',
  certify: 'services/certification/dist/main.js',
  simulate: 'test-e2e/simulation/dist/main.js',
}

/** How many the simulation plays, the first ones of seed 1: on the hub in one process, and on replicas. */
const histories = { check: 80, test: 400, distributed: 150 }

/** `check` tries the first cases of each property, `test` all: the seed being the same, they are among those. */
const fewCases = { PROPERTY_RUNS: '25' }

/** The type checker of lint is a Go program: with more memory it spends less time on collecting garbage. */
const withMemory = { GOGC: '400', GOMEMLIMIT: '2GiB' }

checkNode()
process.chdir(root)
install()
build()
if (Object.hasOwn(programs, command)) await become(programs[command])
else if (command === 'check') process.exitCode = await check()
else if (command === 'test') process.exitCode = await test()
else if (command === 'long') process.exitCode = await long()
else if (command !== 'prepare') {
  const known = [...Object.keys(programs), 'check', 'test', 'long', 'prepare']
  fail(`unknown command ${command}: it is one of ${known.join(', ')}`)
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(`Causeway needs Node.js 20.19 or newer; this is ${process.versions.node}.`)
}

/** Installs when the lockfile or the platform is another one than at the last install. */
function install() {
  const stamp = join(node_modules, '.installed')
  const wanted = digest([
    readFileSync('pnpm-lock.yaml', 'utf8'),
    readFileSync('pnpm-workspace.yaml', 'utf8'),
    `${process.platform}-${process.arch}`,
  ])
  if (readStamp(stamp) === wanted) return
  say('Installing packages (the first time this takes a minute) …')
  const install = ['install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=warn']
  const pnpm = manifest.packageManager
  const own = spawnSync('pnpm', ['--version'], { encoding: 'utf8', cwd: '/' })
  const isHere = own.error === undefined && `pnpm@${own.stdout.trim()}` === pnpm
  const [program, ...first] = isHere ? ['pnpm'] : ['npx', '--yes', pnpm]
  run(program, [...first, ...install], 'The packages could not be installed')
  writeStamp(stamp, wanted)
}

/** Builds when a source is another one than at the last build. */
function build() {
  const stamp = join(node_modules, '.built')
  const wanted = digest(sources(root))
  if (readStamp(stamp) === wanted && existsSync(programs.start)) return
  say('Building …')
  run('npm', ['run', '--silent', 'build'], 'The build failed')
  writeStamp(stamp, digest(sources(root)))
}

/** Path, size and time of every file that the build reads. */
function sources(folder) {
  const skipped = new Set(['node_modules', 'dist', 'generated', '.git', '.data', 'test-output'])
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : sources(path)
    if (!/\.(tsx?|css|html|proto)$|^tsconfig.*\.json$|^package\.json$/.test(entry.name)) return []
    const { size, mtimeMs } = statSync(path)
    return [`${path} ${size} ${mtimeMs}`]
  })
}

async function become(program) {
  process.setSourceMapsEnabled(true)
  process.argv.splice(1, 2, join(root, program))
  await import(pathToFileURL(join(root, program)).href)
}

/** Lint, style, unit tests and the simulation side by side. */
function check() {
  return sideBySide([
    script(['lint:changed'], fewCases),
    script(['test:unit', ...args], fewCases),
    script(simulation(histories.check)),
  ])
}

function simulation(count, ...flags) {
  return ['simulate', '--seed', '1', '--histories', String(count), ...flags]
}

/** What waits for the disk, the clock and other processes shares the processors. */
async function test() {
  const code = await sideBySide([script(['lint']), script(['test:unit', ...args])])
  if (code !== 0) return code
  return sideBySide([
    script(['test:int']),
    script(simulation(histories.test)),
    // The stories are the shortest of the three.
    oneByOne([['test:e2e'], simulation(histories.distributed, '--distributed')]),
  ])
}

/** Two runs: jest would do only one of their set-ups. A pattern may fit files of one of them alone. */
function long() {
  const chosen = args.length === 0 ? [] : ['--passWithNoTests', ...args]
  return sideBySide([script(['test:long:e2e', ...chosen]), script(['test:long:int', ...chosen])])
}

/** The exit code of all. */
async function sideBySide(running) {
  return Math.max(...(await Promise.all(running)))
}

/** The same of scripts that share a processor. */
async function oneByOne(scripts) {
  const codes = []
  for (const each of scripts) codes.push(await script(each))
  return Math.max(...codes)
}

/** Whole lines, since two scripts write at the same time. */
function script([name, ...rest], env = {}) {
  say(`npm run ${name}`)
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name, '--', ...rest], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...withMemory,
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
        ...env,
        ...process.env,
      },
    })
    createInterface({ input: child.stdout }).on('line', (line) => process.stdout.write(`${line}\n`))
    createInterface({ input: child.stderr }).on('line', say)
    child.on('close', (code) => resolve(code ?? 1))
  })
}

function run(program, parameters, failure) {
  const { status, error } = spawnSync(program, parameters, { stdio: ['ignore', 2, 2] })
  if (error !== undefined) fail(`${failure}: ${error.message}.`)
  if (status !== 0) fail(`${failure} (${program} ended with ${status}); see its output above.`)
}

function digest(parts) {
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function writeStamp(path, text) {
  mkdirSync(node_modules, { recursive: true })
  writeFileSync(path, text)
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

function fail(sentence) {
  say(sentence)
  process.exit(1)
}

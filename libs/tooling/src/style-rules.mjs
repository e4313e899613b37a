/**
 * Style rules for TypeScript beyond lint: which way imports point, where SQL, time and
 * chance may be, and how long things may grow. Pure: a file in, sentences out.
 */
import { parseSync, visitorKeys } from 'oxc-parser'
import { analyse } from 'scslre'

const lines_per_file_max = 400
const lines_per_function_max = 70

/** What each package may import of this project; a service imports no other service. */
/** The packages that a process is made of. */
const libsOfProcess = [
  'bus',
  'grpc',
  'http',
  'postgres',
  'process',
  'runtime',
  'services',
  'tracing',
]
const libsOfServices = [
  'component-keys',
  'credentials',
  'crypto-provider',
  'events',
  'fspiop',
  'live-settings',
  'money',
  'month-keys',
  'participants',
  'pki',
  'protos',
  'records',
  ...libsOfProcess,
]
const libsOf = {
  money: [],
  fspiop: ['money'],
  credentials: ['fspiop'],
  process: [],
  fuzzing: [],
  tracing: [],
  http: ['process'],
  grpc: ['process'],
  postgres: ['process'],
  'embedded-postgres': ['postgres', 'process'],
  // Its tests start a server.
  bus: ['embedded-postgres', 'postgres', 'process'],
  archive: ['crypto-provider', 'embedded-postgres', 'postgres', 'process'],
  runtime: ['bus', 'embedded-postgres', 'grpc', 'http', 'postgres', 'process', 'protos', 'tracing'],
  services: [],
  events: ['bus', 'process', 'runtime', 'services'],
  protos: ['services'],
  pki: [],
  records: ['postgres'],
  'crypto-provider': ['process'],
  'component-keys': ['bus', 'events', 'grpc', 'process', 'protos', 'services'],
  'live-settings': [
    'bus',
    'component-keys',
    'events',
    'grpc',
    'money',
    'process',
    'protos',
    'services',
  ],
  'month-keys': ['grpc', 'process', 'protos'],
  participants: ['bus', 'events', 'grpc', 'process', 'protos'],
  fsp: ['credentials', 'fspiop', 'money'],
  // Its tests make certificates.
  certification: ['fsp', 'fspiop', 'pki'],
  ledger: ['events', 'fspiop', 'money', 'protos', ...libsOfProcess],
  'participant-lifecycle': [...libsOfServices, 'ledger'],
  'sandbox-fsp': ['fsp', 'fspiop', 'money', 'pki', ...libsOfProcess],
  // Stories know the hub over the wire; the rest is for the bench, which measures parts of it alone.
  'test-e2e': ['embedded-postgres', 'fsp', 'fspiop', 'money', 'pki', ...libsOfProcess],
}

/** They put the whole of the hub together. */
const packagesOfTheWhole = new Set(['hub', 'simulation'])

const vagueFolders = /(^|\/)(common|utils?|shared|core|types|interfaces|helpers?|managers?)(\/|$)/
const sqlText =
  /^\s*(select|insert into|update|delete from|with)\s[^]*\b(from|into|values|set|as)\b/
const bannedCalls = {
  parseFloat: 'parseFloat loses digits: parse with @causeway/money',
  toFixed: 'toFixed rounds: print with @causeway/money',
}
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const impure = {
  'Date.now': 'reads the clock',
  'Math.random': 'is chance',
  'performance.now': 'reads the clock',
  randomUUID: 'is chance',
  'process.env': 'reads the environment',
}

/** Words of an earlier, private vocabulary: the glossary in ARCHITECTURE.md has the field's terms. */
export const privateWords =
  /\b(ear|everybody|fared|fates|he|him|his|house|in hand|made anew|said|sayings|somebody|told|whoever|worked off)\b/i

/** A file of the project as the rules see it. */
export function readFile(path, text) {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`)
  return {
    path,
    text,
    program,
    lineStarts: lineStartsOf(text),
    isTest: /\.test\.ts$|\/testing(\.ts$|\/)|\/test-[^/]+\.ts$/.test(path),
    // Stands around the hub, for stories, the bench and the simulation.
    isAround: /^(test-e2e|libs\/simulation)\//.test(path),
    packageName: /^(?:libs|services)\/([^/]+)\//.exec(path)?.[1] ?? path.split('/')[0],
    isService: path.startsWith('services/'),
  }
}

/** Every breach in a file, as `path:line sentence`. */
export function breaches(file) {
  const found = []
  const report = (node, sentence) => found.push(`${file.path}:${lineOf(file, node)} ${sentence}`)
  checkWhole(file, report)
  found.push(...privateWordsIn(file))
  visit(file.program, (node) => {
    checkImport(file, node, report)
    checkLength(file, node, report)
    checkWords(file, node, report)
    if (file.path.includes('/domain/') && !file.isTest) checkDomain(file, node, report)
  })
  return found
}

/** Names that are stored cannot change: a file of them is left out. */
const storedNames = new Set(['services/ledger/src/alarms/store.ts'])

function privateWordsIn(file) {
  if (storedNames.has(file.path)) return []
  return file.text.split('\n').flatMap((line, at) => {
    const [word] = privateWords.exec(line) ?? []
    return word === undefined ? [] : [`${file.path}:${at + 1} "${word}": use the field's term`]
  })
}

function visit(node, check) {
  check(node)
  for (const key of visitorKeys[node.type]) {
    const child = node[key]
    if (Array.isArray(child)) {
      for (const each of child) if (each !== null) visit(each, check)
    } else if (child !== null && child !== undefined) visit(child, check)
  }
}

function lineStartsOf(text) {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lineOf(file, node) {
  return node === undefined ? 1 : lineAt(file, node.start)
}

function lineAt({ lineStarts }, offset) {
  const after = lineStarts.findIndex((start) => start > offset)
  return after < 0 ? lineStarts.length : after
}

function textOf(file, node) {
  return file.text.slice(node.start, node.end)
}

/** `a.b`, not `a['b']`. */
function isProperty(node) {
  return node.type === 'MemberExpression' && !node.computed
}

function checkWhole(file, report) {
  if (vagueFolders.test(file.path)) report(undefined, 'is in a folder whose name tells nothing')
  if (file.isTest) return
  const lines = file.text.split('\n').length - 1
  if (lines > lines_per_file_max) report(undefined, `has ${lines} lines (${lines_per_file_max})`)
  if (!file.path.endsWith('index.ts') && !file.text.startsWith('/**')) {
    report(undefined, 'does not begin with the promise it keeps')
  }
}

function checkLength(file, node, report) {
  if (!functions.has(node.type) || file.isTest) return
  const lines = lineAt(file, node.end) - lineOf(file, node) + 1
  if (lines > lines_per_function_max) {
    report(node, `a function of ${lines} lines (${lines_per_function_max})`)
  }
}

function checkImport(file, node, report) {
  const from = sourceOf(node)
  if (from === undefined) return
  const ours = /^@causeway\/([^/]+)(\/.*)?$/.exec(from)
  if (ours !== null) checkOwnImport(file, ours[1], ours[2], (text) => report(node, text))
  if (from.startsWith('.') && leavesPackage(file.path, from)) {
    report(node, `reaches out of its package: ${from}`)
  }
  const inDomain = file.path.includes('/domain/') && !file.isTest
  // croner: when a cron expression comes next is arithmetic.
  if (
    inDomain &&
    !from.startsWith('.') &&
    !/^(@causeway\/(money|fspiop|credentials|services|ledger\/domain)|croner)$/.test(from)
  ) {
    report(node, `a domain file imports ${from}`)
  }
  if (inDomain && from.startsWith('../') && !from.includes('/domain/')) {
    report(node, `a domain file imports ${from} from outside its domain`)
  }
}

/** What an import or export declaration names; undefined: the node is something else. */
function sourceOf(node) {
  if (!/^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type)) return undefined
  return node.source?.value
}

function checkOwnImport(file, name, deeper, report) {
  const isForTests = /^\/testing(\/|$)/.test(deeper ?? '')
  // The entries of a package are in the `exports` of its package.json.
  if (/^\/(src|dist)\//.test(deeper ?? '')) report(`reaches into @causeway/${name}${deeper}`)
  if (isForTests && !file.isTest && !file.isAround)
    report('only tests import the testing part of a package')
  if (name === file.packageName || packagesOfTheWhole.has(file.packageName)) return
  if (name === 'fuzzing') {
    if (!file.isTest) report('only tests import fuzzing')
    return
  }
  const allowed = libsOf[file.packageName] ?? (file.isService ? libsOfServices : [])
  // A unit test may stand on what another service offers to tests, an integration test on all of it.
  const inTest =
    file.isTest && file.isService && (/\.(int|kafka|hsm)\.test\.ts$/.test(file.path) || isForTests)
  if (!allowed.includes(name) && !inTest) report(`${file.packageName} may not import ${name}`)
}

function leavesPackage(path, from) {
  const folders = path.split('/').slice(0, -1)
  const depth = folders.length - (path.startsWith('libs/') || path.startsWith('services/') ? 2 : 1)
  return (from.match(/\.\.\//g) ?? []).length > depth
}

function checkWords(file, node, report) {
  if (node.type === 'TSAnyKeyword') report(node, 'any')
  if (file.isTest) {
    if (node.type === 'CallExpression') checkTitle(file, node, report)
    return
  }
  if (node.type === 'Literal' && node.regex !== undefined) checkPattern(file, node, report)
  if (isProperty(node) && textOf(file, node.object) === 'console') {
    report(node, 'console: log with pino, speak to people through process.stdout')
  }
  if (file.isAround) return
  if (node.type === 'CallExpression') {
    const name = textOf(file, node.callee).split('.').at(-1) ?? ''
    if (Object.hasOwn(bannedCalls, name)) report(node, bannedCalls[name])
  }
  checkSql(file, node, report)
  if (isProperty(node) && textOf(file, node) === 'process.env') {
    const may = /[/-](settings|main|start|verify|process|data-folder)\.ts$/.test(file.path)
    if (!may) report(node, 'reads the environment: settings.ts and main.ts do that')
  }
}

/** A test title states its rule as a sentence that needs no title of a group before it. */
function checkTitle(file, { callee, arguments: [title] }, report) {
  if (!/^(test|it)\b/.test(textOf(file, callee))) return
  if (!/^(Literal|TemplateLiteral)$/.test(title?.type)) return
  if (/^[a-z]/.test(beginningOf(title))) report(title, 'a test title begins with a small letter')
}

/** A pattern is run over text from outside: what takes more than linear time stops the process. */
function checkPattern(file, node, report) {
  const { pattern, flags } = node.regex
  if (analyse({ source: pattern, flags }).reports.length === 0) return
  report(node, `${textOf(file, node)} takes more than linear time: anchor it, or split and trim`)
}

function checkSql(file, node, report) {
  const home = /(^|[/-])store\.ts$/.test(file.path)
  const ofPostgres = /^libs\/(archive|bus|embedded-postgres|postgres|runtime)\//.test(file.path)
  if (!home && !ofPostgres && sqlText.test(beginningOf(node))) report(node, 'SQL outside store.ts')
}

/** Of a string or template: its text up to the first expression in it. */
function beginningOf(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  return node.type === 'TemplateLiteral' ? node.quasis[0].value.cooked : ''
}

function checkDomain(file, node, report) {
  if (node.type === 'AwaitExpression' || (functions.has(node.type) && node.async)) {
    report(node, 'a decision waits for something')
  }
  if (node.type === 'NewExpression' && textOf(file, node.callee) === 'Date') {
    if (node.arguments.length === 0) report(node, 'new Date() reads the clock')
  }
  if (isProperty(node) || node.type === 'Identifier') {
    const word = node.type === 'Identifier' ? node.name : textOf(file, node)
    if (Object.hasOwn(impure, word)) report(node, `${word} ${impure[word]}`)
  }
}

/** Circles of relative imports (types aside), each once, as `a -> b -> a`. */
export function importCircles(files) {
  const importsOf = new Map(files.map((file) => [file.path, relativeImports(file)]))
  const circles = new Map()
  const done = new Set()
  const walk = (path, trail) => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      const circle = trail.slice(at)
      circles.set(
        circle.toSorted((a, b) => a.localeCompare(b)).join(),
        [...circle, path].join(' -> '),
      )
      return
    }
    if (done.has(path)) return
    for (const next of importsOf.get(path) ?? []) walk(next, [...trail, path])
    done.add(path)
  }
  for (const path of importsOf.keys()) walk(path, [])
  return [...circles.values()]
}

function relativeImports(file) {
  const base = `file:///${file.path}`
  return file.program.body
    .filter((node) => node.importKind !== 'type' && node.exportKind !== 'type')
    .map(sourceOf)
    .filter((from) => from?.startsWith('.'))
    .map((from) => new URL(from, base).pathname.slice(1))
}

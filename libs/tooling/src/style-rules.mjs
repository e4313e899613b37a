/**
 * Style rules for TypeScript beyond lint: which way imports point, where SQL, time and
 * chance may be, and how long things may grow. Pure: a file in, sentences out.
 */
import { analyse } from 'scslre'
import ts from 'typescript'

const lines_per_file_max = 400
const lines_per_function_max = 70

/** What each package may import of this project; a service imports no other service. */
const libsOfServices = [
  'credentials',
  'events',
  'fspiop',
  'money',
  'participants',
  'pki',
  'protos',
  'runtime',
]
const libsOf = {
  money: [],
  fspiop: ['money'],
  credentials: ['fspiop'],
  runtime: [],
  events: ['runtime'],
  protos: [],
  pki: [],
  participants: ['events', 'protos', 'runtime'],
  fsp: ['credentials', 'fspiop', 'money'],
  ledger: ['events', 'fspiop', 'money', 'protos', 'runtime'],
  'participant-lifecycle': [...libsOfServices, 'ledger'],
  'sandbox-fsp': ['fsp', 'fspiop', 'money', 'pki', 'runtime'],
  // Stories know the hub over the wire; the runtime is for the bench, which measures parts of it alone.
  'test-e2e': ['fsp', 'fspiop', 'money', 'pki', 'runtime'],
}

const vagueFolders = /(^|\/)(common|utils?|shared|core|types|interfaces|helpers?|managers?)(\/|$)/
const sqlText =
  /^\s*(select|insert into|update|delete from|with)\s[^]*\b(from|into|values|set|as)\b/
const bannedCalls = {
  parseFloat: 'parseFloat loses digits: parse with @causeway/money',
  toFixed: 'toFixed rounds: print with @causeway/money',
}
const impure = {
  'Date.now': 'reads the clock',
  'Math.random': 'is chance',
  'performance.now': 'reads the clock',
  randomUUID: 'is chance',
  'process.env': 'reads the environment',
}

/** A file of the project as the rules see it. */
export function readFile(path, text) {
  return {
    path,
    text,
    source: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true),
    isTest: /\.test\.ts$|\/testing(\.ts$|\/)|\/test-[^/]+\.ts$/.test(path),
    // Stands around the hub, for stories and for the bench.
    isAround: path.startsWith('test-e2e/'),
    packageName: /^(?:libs|services)\/([^/]+)\//.exec(path)?.[1] ?? path.split('/')[0],
    isService: path.startsWith('services/'),
  }
}

/** Every breach in a file, as `path:line sentence`. */
export function breaches(file) {
  const found = []
  const report = (node, sentence) => found.push(`${file.path}:${lineOf(file, node)} ${sentence}`)
  checkWhole(file, report)
  const visit = (node) => {
    checkImport(file, node, report)
    checkLength(file, node, report)
    checkWords(file, node, report)
    if (file.path.includes('/domain/') && !file.isTest) checkDomain(node, report)
    ts.forEachChild(node, visit)
  }
  visit(file.source)
  return found
}

function lineOf(file, node) {
  if (node === undefined) return 1
  return file.source.getLineAndCharacterOfPosition(node.getStart(file.source)).line + 1
}

function checkWhole(file, report) {
  if (vagueFolders.test(file.path)) report(undefined, 'lies in a folder whose name says nothing')
  if (file.isTest) return
  const lines = file.text.split('\n').length - 1
  if (lines > lines_per_file_max) report(undefined, `has ${lines} lines (${lines_per_file_max})`)
  if (!file.path.endsWith('index.ts') && !file.text.startsWith('/**')) {
    report(undefined, 'does not begin with the promise it keeps')
  }
}

function checkLength(file, node, report) {
  if (!ts.isFunctionLike(node) || node.body === undefined || file.isTest) return
  const end = file.source.getLineAndCharacterOfPosition(node.end).line + 1
  const lines = end - lineOf(file, node) + 1
  if (lines > lines_per_function_max) {
    report(node, `a function of ${lines} lines (${lines_per_function_max})`)
  }
}

function checkImport(file, node, report) {
  const named = ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
  if (!named || node.moduleSpecifier === undefined) return
  const from = node.moduleSpecifier.text
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
    !/^(@causeway\/(money|fspiop|credentials|ledger\/domain)|croner)$/.test(from)
  ) {
    report(node, `a domain file imports ${from}`)
  }
  if (inDomain && from.startsWith('../') && !from.includes('/domain/')) {
    report(node, `a domain file imports ${from} from outside its domain`)
  }
}

function checkOwnImport(file, name, deeper, report) {
  const isForTests = /^\/testing(\/|$)/.test(deeper ?? '')
  // The entries of a package are in the `exports` of its package.json.
  if (/^\/(src|dist)\//.test(deeper ?? '')) report(`reaches into @causeway/${name}${deeper}`)
  if (isForTests && !file.isTest && !file.isAround)
    report('only tests import the testing part of a package')
  if (name === file.packageName || file.packageName === 'hub') return
  const allowed = libsOf[file.packageName] ?? (file.isService ? libsOfServices : [])
  // A unit test may stand on what another service offers to tests, an integration test on all of it.
  const inTest =
    file.isTest && file.isService && (/\.(int|kafka)\.test\.ts$/.test(file.path) || isForTests)
  if (!allowed.includes(name) && !inTest) report(`${file.packageName} may not import ${name}`)
}

function leavesPackage(path, from) {
  const folders = path.split('/').slice(0, -1)
  const depth = folders.length - (path.startsWith('libs/') || path.startsWith('services/') ? 2 : 1)
  return (from.match(/\.\.\//g) ?? []).length > depth
}

function checkWords(file, node, report) {
  if (node.kind === ts.SyntaxKind.AnyKeyword) report(node, 'any')
  if (file.isTest) return
  if (ts.isRegularExpressionLiteral(node)) checkPattern(node, report)
  if (ts.isPropertyAccessExpression(node) && node.expression.getText() === 'console') {
    report(node, 'console: log with pino, speak to people through process.stdout')
  }
  if (file.isAround) return
  if (ts.isCallExpression(node)) {
    const name = node.expression.getText().split('.').at(-1) ?? ''
    if (Object.hasOwn(bannedCalls, name)) report(node, bannedCalls[name])
  }
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) checkSql(file, node, report)
  if (ts.isPropertyAccessExpression(node) && node.getText() === 'process.env') {
    const may = /\/(settings|main|start|verify|process|data-folder)\.ts$/.test(file.path)
    if (!may) report(node, 'reads the environment: settings.ts and main.ts do that')
  }
}

/** A pattern is run over text from outside: what takes more than linear time stops the process. */
function checkPattern(node, report) {
  const [, source, flags] = /^\/(.*)\/(\w*)$/s.exec(node.text)
  if (analyse({ source, flags }).reports.length === 0) return
  report(node, `${node.text} takes more than linear time: anchor it, or split and trim`)
}

function checkSql(file, node, report) {
  const home = /(^|[/-])store\.ts$/.test(file.path)
  const runtime = /^libs\/runtime\/src\/(postgres|bus|embedded|testing)/.test(file.path)
  if (!home && !runtime && sqlText.test(node.text)) report(node, 'SQL outside store.ts')
}

function checkDomain(node, report) {
  if (ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword) {
    report(node, 'a decision waits for something')
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date') {
    if ((node.arguments?.length ?? 0) === 0) report(node, 'new Date() reads the clock')
  }
  if (ts.isPropertyAccessExpression(node) || ts.isIdentifier(node)) {
    const word = node.getText()
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
  return file.source.statements
    .filter((node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    .filter((node) => node.importClause?.isTypeOnly !== true && node.isTypeOnly !== true)
    .map((node) => node.moduleSpecifier?.text)
    .filter((from) => from?.startsWith('.'))
    .map((from) => new URL(from, base).pathname.slice(1))
}

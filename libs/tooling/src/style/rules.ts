/**
 * Style rules for TypeScript that the linter does not have: which way imports point, where SQL, time and
 * chance may be, how long functions may grow, and which words are used. Pure: a file in, sentences out.
 */
import type { CallExpression, Node } from 'oxc-parser'
import { analyse } from 'scslre'
import { mayImport } from './layers.ts'
import { lineOf, linesOf, sourceOf, textOf, visit, type SourceFile } from './source-file.ts'

const lines_per_function_max = 70

const vagueFolders = /(^|\/)(common|utils?|shared|core|types|interfaces|helpers?|managers?)(\/|$)/
const sqlText =
  /^\s*(select|insert into|update|delete from|with)\s[^]*\b(from|into|values|set|as)\b/
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const impure: Readonly<Record<string, string>> = {
  'Date.now': 'reads the clock',
  'Math.random': 'is chance',
  'performance.now': 'reads the clock',
  randomUUID: 'is chance',
  'process.env': 'reads the environment',
}

/** Words of an earlier, private vocabulary: the glossary in ARCHITECTURE.md has the field's terms. */
export const privateWords =
  /\b(ear|everybody|fared|fates|he|him|his|house|in hand|made anew|said|sayings|somebody|told|whoever|worked off)\b/i

type ReportBreach = (node: Node | undefined, sentence: string) => void

/** Every breach in a file, as `path:line sentence`. */
export function breaches(file: SourceFile): readonly string[] {
  const found: string[] = []
  const report: ReportBreach = (node, sentence) => {
    found.push(`${file.path}:${lineOf(file, node)} ${sentence}`)
  }
  checkWhole(file, report)
  found.push(...privateWordsIn(file))
  visit(file.program, (node) => {
    checkImport(file, node, report)
    checkWords(file, node, report)
    if (file.path.includes('/domain/') && !file.isTest) checkDomain(file, node, report)
  })
  for (const { line, lines } of file.isTest ? [] : longFunctions(file)) {
    found.push(`${file.path}:${line} a function of ${lines} lines (${lines_per_function_max})`)
  }
  return found
}

/** A group of tests aside: it is as long as its tests. */
export function longFunctions(
  file: SourceFile,
): readonly { readonly line: number; readonly lines: number }[] {
  const found: { line: number; lines: number }[] = []
  visit(file.program, (node, above) => {
    if (!functions.has(node.type)) return
    if (above?.type === 'CallExpression' && /^describe\b/.test(textOf(file, above.callee))) return
    const lines = linesOf(file, node)
    if (lines > lines_per_function_max) found.push({ line: lineOf(file, node), lines })
  })
  return found
}

/** Names that are stored cannot change: a file of them is left out. */
const storedNames = new Set(['services/ledger/src/alarms/store.ts'])

function privateWordsIn({ path, text }: SourceFile): readonly string[] {
  // The list itself.
  if (storedNames.has(path) || path.startsWith('libs/tooling/src/style/')) return []
  return text.split('\n').flatMap((line, at) => {
    const [word] = privateWords.exec(line) ?? []
    return word === undefined ? [] : [`${path}:${at + 1} "${word}": use the field's term`]
  })
}

function isProperty(node: Node): boolean {
  return node.type === 'MemberExpression' && !node.computed
}

function checkWhole(file: SourceFile, report: ReportBreach) {
  if (vagueFolders.test(file.path)) report(undefined, 'is in a folder whose name tells nothing')
  if (!file.isTest && !file.path.endsWith('index.ts') && !file.text.startsWith('/**')) {
    report(undefined, 'does not begin with the promise it keeps')
  }
}

function isTypeImport(node: Node): boolean {
  return node.type === 'ImportDeclaration' && node.importKind === 'type'
}

function checkImport(file: SourceFile, node: Node, report: ReportBreach) {
  const from = sourceOf(node)
  if (from === undefined) return
  const [, name, deeper = ''] = /^@causeway\/([^/]+)(\/.*)?$/.exec(from) ?? []
  if (name !== undefined) {
    for (const sentence of wrongPackage(file, name, deeper)) report(node, sentence)
  }
  if (from.startsWith('.') && leavesPackage(file.path, from)) {
    report(node, `reaches out of its package: ${from}`)
  }
  if (!file.path.includes('/domain/') || file.isTest) return
  // croner: when a cron expression comes next is arithmetic. protos: the closed sets, as types.
  if (
    !from.startsWith('.') &&
    !(from === '@causeway/protos' && isTypeImport(node)) &&
    !/^(@causeway\/(money|fspiop|credentials|services(?:\/privileges)?|ledger\/domain)|croner)$/.test(
      from,
    )
  ) {
    report(node, `a domain file imports ${from}`)
  }
  if (from.startsWith('../') && !from.includes('/domain/')) {
    report(node, `a domain file imports ${from} from outside its domain`)
  }
}

function wrongPackage(file: SourceFile, name: string, deeper: string): readonly string[] {
  const isForTests = /^\/testing(\/|$)/.test(deeper)
  const found: string[] = []
  // The entries of a package are in the `exports` of its package.json.
  if (/^\/(src|dist)\//.test(deeper)) found.push(`reaches into @causeway/${name}${deeper}`)
  if (isForTests && !file.isTest && !file.isAround) {
    found.push('only tests import the testing part of a package')
  }
  if (name === 'fuzzing' && file.packageName !== name) {
    return file.isTest ? found : [...found, 'only tests import fuzzing']
  }
  // A unit test may stand on what another service offers to tests, an integration test on all of it.
  const inTest =
    file.isTest && file.isService && (/\.(int|kafka|hsm)\.test\.ts$/.test(file.path) || isForTests)
  return inTest || mayImport(file.packageName, file.isService, name)
    ? found
    : [...found, `${file.packageName} may not import ${name}`]
}

function leavesPackage(path: string, from: string): boolean {
  const folders = path.split('/').slice(0, -1)
  const depth = folders.length - (path.startsWith('libs/') || path.startsWith('services/') ? 2 : 1)
  return (from.match(/\.\.\//g) ?? []).length > depth
}

function checkWords(file: SourceFile, node: Node, report: ReportBreach) {
  if (file.isTest) {
    if (node.type === 'CallExpression') checkTitle(file, node, report)
    return
  }
  if (node.type === 'Literal' && 'regex' in node) checkPattern(file, node, report)
  if (!file.isAround) checkSql(file, node, report)
}

/** A test title states its rule as a sentence that needs no title of a group before it. */
function checkTitle(
  file: SourceFile,
  { callee, arguments: [title] }: CallExpression,
  report: ReportBreach,
) {
  if (title === undefined || !/^(test|it)\b/.test(textOf(file, callee))) return
  if (/^[a-z]/.test(beginningOf(title))) report(title, 'a test title begins with a small letter')
}

/** A pattern is run over text from outside: what takes more than linear time stops the process. */
function checkPattern(
  file: SourceFile,
  node: Node & { readonly regex: { readonly pattern: string; readonly flags: string } },
  report: ReportBreach,
) {
  const { pattern, flags } = node.regex
  if (analyse({ source: pattern, flags }).reports.length === 0) return
  report(node, `${textOf(file, node)} takes more than linear time: anchor it, or split and trim`)
}

function checkSql(file: SourceFile, node: Node, report: ReportBreach) {
  const home = /(^|[/-])store\.ts$/.test(file.path)
  const ofPostgres = /^(services\/archive|libs\/(bus|embedded-postgres|postgres|runtime))\//.test(
    file.path,
  )
  if (!home && !ofPostgres && sqlText.test(beginningOf(node))) report(node, 'SQL outside store.ts')
}

/** Of a string or template: its text up to the first expression in it. */
function beginningOf(node: Node): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  return node.type === 'TemplateLiteral' ? (node.quasis[0]?.value.cooked ?? '') : ''
}

function checkDomain(file: SourceFile, node: Node, report: ReportBreach) {
  if (node.type === 'AwaitExpression' || ('async' in node && node.async)) {
    report(node, 'a decision waits for something')
  }
  if (node.type === 'NewExpression' && textOf(file, node.callee) === 'Date') {
    if (node.arguments.length === 0) report(node, 'new Date() reads the clock')
  }
  if (isProperty(node) || node.type === 'Identifier') {
    const word = node.type === 'Identifier' ? node.name : textOf(file, node)
    const why = Object.hasOwn(impure, word) ? impure[word] : undefined
    if (why !== undefined) report(node, `${word} ${why}`)
  }
}

/**
 * Links and commands in the documentation refer to files, headings, functions and scripts that exist. The
 * workflow of the hosted CI runs the steps of .ci/run.
 */
import { expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'
import { privateWords } from './style/rules.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
const pages = git('ls-files', '--cached', '--others', '--exclude-standard', '*.md')
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))

/** Without blocks of code, in which brackets are no links. */
function proseOf(path: string): string {
  return read(path).replaceAll(/^```[^]*?^```/gm, '')
}

/** The links of a page to files of the repository. */
function linksOf(path: string) {
  return [...proseOf(path).matchAll(/\[([^\][]*)\]\(([^()\s]+)\)/g)]
    .map(([, text = '', target = '']) => ({ text, target, ...targetOf(path, target) }))
    .filter(({ target }) => !/^[a-z]+:/.test(target))
}

function targetOf(path: string, target: string) {
  const [file = '', heading] = target.split('#')
  return { file: file === '' ? path : normalize(join(dirname(path), file)), heading }
}

/** The anchor that GitHub gives to a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

function headingsOf(path: string): ReadonlySet<string> {
  return new Set(
    [...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slugOf(heading)),
  )
}

/** The functions that the text of a link names; none where the text is prose. */
function namesIn(text: string): readonly string[] {
  const names = [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
  return text.replaceAll(/`\w+`|[,\s]/g, '') === '' ? names : []
}

test.each(pages)('Every link of %s refers to a file and a heading that exist', (path) => {
  const broken = linksOf(path).filter(
    ({ file, heading }) =>
      !existsSync(join(root, file)) || (heading !== undefined && !headingsOf(file).has(heading)),
  )
  expect(broken.map(({ target }) => target)).toEqual([])
})

test.each(pages)('Every function that %s links to is defined in the file of the link', (path) => {
  const missing = linksOf(path)
    .filter(({ file }) => /\.(ts|mjs)$/.test(file))
    .flatMap(({ text, file }) => namesIn(text).map((name) => ({ name, file })))
    .filter(
      ({ name, file }) => !new RegExp(`\\b(function|const|async) ${name}\\b`).test(read(file)),
    )
  expect(missing).toEqual([])
})

test.each(pages)('Every npm script that %s names is defined in package.json', (path) => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')))
  const named = [...read(path).matchAll(/\bnpm run (?:-s |--silent )?([a-z][a-z0-9:]*[a-z0-9])/g)]
  expect(
    named.map(([, name = '']) => name).filter((name) => !Object.hasOwn(scripts, name)),
  ).toEqual([])
})

test('The files of a transfer are listed in an order in which each is reached from one before it', () => {
  const [, section = ''] = read('ARCHITECTURE.md').split('\n#### The files of a transfer, in')
  const rows = tableOf(section).slice(2, -1)
  const files = rows.map((row) => /\]\(([^)]+)\)/.exec(row)?.[1] ?? '')
  expect(section).toContain(`is ${files.length - 2} files; two more`)
  expect(files.length).toBeLessThanOrEqual(25)
  expect(new Set(files).size).toBe(files.length)
  const unreached = rows.filter((row, at) => {
    const name = /\| `(\w+)` \|$/.exec(row)?.[1]
    const [before, file = ''] = [files.slice(0, at), files[at]]
    return name === undefined ? !isImported(file, before) : !isSent(name, file, before)
  })
  // The first is where a request arrives.
  expect(unreached).toEqual(rows.slice(0, 1))
})

/**
 * Whether one of the files imports it, or it imports the one that calls it back. What `deps.ts` imports is
 * handed to all steps of a service.
 */
function isImported(file: string, others: readonly string[]): boolean {
  const imports = (from: string, to: string) =>
    existsSync(join(root, from)) && new RegExp(`from '[^']*/${basename(to)}'`).test(read(from))
  const deps = join(dirname(file), 'deps.ts')
  return imports(deps, file) || others.some((other) => imports(other, file) || imports(file, other))
}

/** Whether an event or a method is named where it is sent and where it is received. */
function isSent(name: string, file: string, others: readonly string[]): boolean {
  return read(file).includes(name) && others.some((other) => read(other).includes(name))
}

/** The rows of the first table of a text. */
function tableOf(text: string): readonly string[] {
  const [table = ''] = /(?:^\|.*\n)+/m.exec(text) ?? []
  return table.split('\n')
}

test('Adding a service takes at most 12 files of others, and each of them exists', () => {
  const [, section = ''] = read('CONTRIBUTING.md').split('\n## Add a service\n')
  const cells = tableOf(section).map((row) => row.split('|')[1] ?? '')
  const files = cells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
  )
  const missing = files
    .map((file) => file.replace('<service>', 'audit'))
    .filter((file) => !existsSync(join(root, file)))
  expect(missing).toEqual([])
  expect(files.length).toBeGreaterThan(8)
  expect(files.length).toBeLessThanOrEqual(12)
})

test.each(pages)('The page %s uses no word of the earlier, private vocabulary', (path) => {
  const words = proseOf(path).matchAll(new RegExp(privateWords, 'gi'))
  expect([...words].map(([word]) => word)).toEqual([])
})

test('The glossary explains at most 40 terms, each once', () => {
  const [, glossary = ''] = read('ARCHITECTURE.md').split('## Glossary')
  const terms = [...glossary.matchAll(/^\| ([^|]+?) \|/gm)].map(([, term]) => term).slice(1)
  expect(terms.length).toBeLessThanOrEqual(40)
  expect(terms).toEqual([...new Set(terms)])
})

const matrix = z.object({ step: z.array(z.string()) })
const workflow = z.object({
  jobs: z.object({ step: z.object({ strategy: z.object({ matrix }) }) }),
})

test('The workflow runs every step of .ci/run, on the version of Node.js that .nvmrc names', () => {
  const { step } = workflow.parse(parse(read('.github/workflows/ci.yml'))).jobs.step.strategy.matrix
  const [, steps = ''] = /^wanted=\$\{\*:-(.*)\}$/m.exec(read('.ci/run')) ?? []
  expect(step).toEqual(steps.split(' '))
  const [, version = ''] = /^version=\$\{1:-(\d+)\./m.exec(read('.ci/node')) ?? []
  expect(read('.nvmrc').trim()).toBe(version)
})

test('The table of fuzzed parsers names each fuzz test, and each test that fuzzes has the name that a night runs', () => {
  const [, section = ''] = read('docs/testing.md').split('\n## Fuzzing\n')
  const named = tableOf(section).flatMap((row) =>
    [...row.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = '']) => file),
  )
  const tests = git('ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts')
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)))
  const fuzzing = tests.filter((path) => /from '@causeway\/fuzzing'/.test(read(path)))
  expect(fuzzing.length).toBeGreaterThan(20)
  expect(fuzzing.filter((path) => !/\.fuzz(\.int)?\.test\.ts$/.test(path))).toEqual([])
  expect(named.toSorted()).toEqual(tests.filter((path) => path.includes('.fuzz.')).toSorted())
})

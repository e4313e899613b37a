/**
 * The `references` of every tsconfig.json, from the packages that each package.json depends on: the
 * compiler builds those first. The build writes them before it compiles.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8')

/** @typedef {{ packages: string[] }} Workspace */
/** @typedef {{ name: string, dependencies?: object, devDependencies?: object }} Manifest */

/** By path of a tsconfig.json: what is in it, and what should be. */
export function projectReferences() {
  /** @type {Workspace} */
  const { packages } = parse(read('pnpm-workspace.yaml'))
  /** @type {Map<string, Manifest>} */
  const manifests = new Map(
    packages
      .flatMap(foldersOf)
      .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))
      .map((folder) => [folder, JSON.parse(read(`${folder}/package.json`))]),
  )
  const folders = new Map([...manifests].map(([folder, { name }]) => [name, folder]))
  const all = new Map([['tsconfig.json', [...manifests.keys()]]])
  for (const [folder, { dependencies, devDependencies }] of manifests) {
    const needed = Object.keys({ ...dependencies, ...devDependencies })
      .map((name) => folders.get(name))
      .filter((other) => other !== undefined)
    all.set(`${folder}/tsconfig.json`, needed)
  }
  return new Map(
    [...all].map(([path, needed]) => {
      const text = read(path)
      return [path, { text, wanted: withReferences(text, path, needed) }]
    }),
  )
}

/** @param {string} pattern */
function foldersOf(pattern) {
  if (!pattern.endsWith('/*')) return [pattern]
  const folder = dirname(pattern)
  return readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(join(root, path, 'package.json')))
}

/**
 * As the formatter has it: one line of at most 100 columns, else a line for each.
 * @param {string} text
 * @param {string} path
 * @param {readonly string[]} needed
 */
function withReferences(text, path, needed) {
  const paths = needed.toSorted().map((folder) => relative(dirname(path), folder))
  const entries = paths.map((each) => `{ "path": ${JSON.stringify(each)} }`)
  const line = `  "references": [${entries.join(', ')}]`
  const list =
    line.length <= 100
      ? line
      : `  "references": [\n${entries.map((entry) => `    ${entry}`).join(',\n')}\n  ]`
  return text.replace(/ {2}"references": \[[^\]]*\]/, () => list)
}

function main() {
  for (const [path, { text, wanted }] of projectReferences()) {
    if (text !== wanted) writeFileSync(join(root, path), wanted)
  }
}

if (import.meta.url === `file://${process.argv[1]}`) main()

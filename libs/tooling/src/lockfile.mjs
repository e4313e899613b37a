/** The packages of others that the hub is made of, as the lockfile names them. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

const root = new URL('../../../', import.meta.url)

/** @typedef {{ integrity?: string, tarball?: string | undefined, repo?: string, type?: string }} Resolution */
/** @typedef {Record<string, string>} Versions */
/** @typedef {Record<string, { version: string }>} Dependencies */
/**
 * @typedef {{
 *   importers: Record<string, { dependencies?: Dependencies, optionalDependencies?: Dependencies }>
 *   packages: Record<string, { resolution: Resolution }>
 *   snapshots: Record<string, { dependencies?: Versions, optionalDependencies?: Versions }>
 * }} Lockfile
 */

/** @returns {Lockfile} */
export function readLockfile() {
  return parse(readFileSync(new URL('pnpm-lock.yaml', root), 'utf8'))
}

/**
 * Only building and testing need these.
 * @param {string} folder
 */
const isOfTheHub = (folder) => folder !== '.' && folder !== 'test-e2e' && folder !== 'libs/tooling'

/**
 * Every package that a program of the hub loads, or may load: by `name@version` its hash (SHA-512 in
 * base64, as the lockfile has it).
 * @param {Lockfile} lockfile
 */
export function productionPackages({ importers, packages, snapshots }) {
  /** @type {Map<string, { name: string }>} */
  const found = new Map()
  const visit = (/** @type {string} */ name, /** @type {string} */ version) => {
    if (version.startsWith('link:')) return
    const key = `${name}@${version}`
    const plain = key.replace(/\(.*$/, '')
    if (found.has(key)) return
    found.set(key, { name: plain })
    const { dependencies = {}, optionalDependencies = {} } = snapshots[key] ?? {}
    for (const next of Object.entries({ ...dependencies, ...optionalDependencies })) visit(...next)
  }
  for (const [folder, { dependencies = {}, optionalDependencies = {} }] of Object.entries(
    importers,
  )) {
    if (!isOfTheHub(folder)) continue
    for (const [name, { version }] of Object.entries({
      ...dependencies,
      ...optionalDependencies,
    })) {
      visit(name, version)
    }
  }
  const names = new Set([...found.values()].map(({ name }) => name))
  return new Map(Array.from(names, (name) => [name, packages[name]?.resolution.integrity]))
}

/**
 * What a lockfile must not contain: sentences.
 * @param {Pick<Lockfile, 'packages'>} lockfile
 */
export function faultsOf({ packages }) {
  return Object.entries(packages).flatMap(([name, { resolution }]) => {
    const { integrity = '', tarball, repo, type } = resolution
    if (tarball !== undefined || repo !== undefined || type !== undefined) {
      return [`${name} does not come from the registry by its name`]
    }
    return integrity.startsWith('sha512-') ? [] : [`${name} has no SHA-512`]
  })
}

/**
 * Paths under which an API also answers, for clients that reach each API of a scheme under a path
 * of its own ("/als/participants/…" next to "/participants/…").
 */
import { listIn, StartError } from '@causeway/process'

/** Takes the base path from the beginning of a request target, which keeps its query. */
export type WithoutBase = (target: string) => string

/** Segments that have only one spelling: letters, digits, '-', '_', and '.' inside. */
const basePath = /^(?:\/[\w-][\w.-]*)+$/

/**
 * @param name the setting, for errors
 * @param list base paths, separated by commas
 * @param apiPaths the paths of the API: no base path may begin like one of these
 * @throws {StartError}
 */
export function openBasePaths(
  name: string,
  list: string,
  apiPaths: readonly string[],
): WithoutBase {
  const bases = listIn(list)
  const taken = new Set(apiPaths.map(firstSegment))
  for (const base of bases) {
    if (!basePath.test(base)) {
      throw new StartError(`${name}: '${base}' is not a path such as /als or /fsp/1.0.`)
    }
    if (taken.has(firstSegment(base))) {
      throw new StartError(`${name}: '${base}' begins as paths of the API do.`)
    }
  }
  if (bases.length === 0) return (target) => target
  const longestFirst = bases.toSorted((one, other) => other.length - one.length)
  return (target) => {
    const base = longestFirst.find((one) => isUnder(target, one))
    if (base === undefined) return target
    const rest = target.slice(base.length)
    return rest.startsWith('/') ? rest : `/${rest}`
  }
}

function isUnder(target: string, base: string): boolean {
  if (!target.startsWith(base)) return false
  const next = target[base.length]
  return next === undefined || next === '/' || next === '?'
}

function firstSegment(path: string): string {
  return path.split('/')[1] ?? ''
}

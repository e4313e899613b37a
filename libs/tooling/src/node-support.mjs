/**
 * The Node.js of CI and of the image still gets security fixes; ends with 1 where it does not, and says so
 * half a year before.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Of each version that may be used: the last day of its security fixes, as nodejs.org announced it.
 * @type {Readonly<Record<string, string>>}
 */
export const ends = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
}

const warned_ms = 183 * 86_400_000

/**
 * @param {string} major
 * @param {Date} now
 * @returns {{ end?: string, fault?: string, isNear?: true }} what is wrong with the version on that day,
 *   undefined: nothing; and until when it is supported
 */
export function supportOf(major, now) {
  const end = ends[major]
  if (end === undefined)
    return { fault: `the end of Node.js ${major} is not known: add it to ends` }
  const left_ms = Date.parse(end) + 86_400_000 - now.getTime()
  if (left_ms <= 0) return { end, fault: `Node.js ${major} gets no security fixes since ${end}` }
  return left_ms < warned_ms ? { end, isNear: true } : { end }
}

/**
 * The versions that are used, each with the file that names it.
 * @param {(path: string) => string} read
 * @returns {[file: string, major: string][]}
 */
export function usedVersions(read) {
  const [, image = ''] = /^ARG NODE_IMAGE=node:(\d+)/m.exec(read('deploy/Dockerfile')) ?? []
  return [
    ['.nvmrc', read('.nvmrc').trim()],
    ['deploy/Dockerfile', image],
  ]
}

function main() {
  const root = new URL('../../../', import.meta.url)
  for (const [file, major] of usedVersions((path) => readFileSync(new URL(path, root), 'utf8'))) {
    const { end, fault, isNear } = supportOf(major, new Date())
    if (fault !== undefined) {
      process.stdout.write(`${file}: ${fault}\n`)
      process.exitCode = 1
      continue
    }
    process.stdout.write(
      `${file}: Node.js ${major}, security fixes until ${end}${isNear ? ': replace it soon' : ''}\n`,
    )
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()

/**
 * Lint as it costs least during work: the format, the style and the rules that need no types are checked
 * in every file, rules that need types in the files that differ from the branch's base. `npm test` checks
 * all rules in all files.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim()

/** Where this branch began: at its upstream or at main; otherwise only uncommitted work counts. */
function base() {
  for (const other of ['@{upstream}', 'main']) {
    try {
      return git('merge-base', 'HEAD', other)
    } catch {
      // There is no such branch.
    }
  }
  return 'HEAD'
}

const changed = [
  git('diff', '--name-only', base()),
  git('ls-files', '--others', '--exclude-standard'),
]
  .flatMap((list) => list.split('\n'))
  .filter((path) => path !== '' && existsSync(path))
const typed = changed.filter((path) => /\.(tsx?|[cm]?js)$/.test(path))

const runs = [['oxlint', '--deny-warnings']]
if (typed.length > 0) runs.push(['oxlint', '--type-aware', '--deny-warnings', ...typed])
runs.push(['npm', 'run', '--silent', 'lint:format'])
for (const [program, ...args] of runs) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

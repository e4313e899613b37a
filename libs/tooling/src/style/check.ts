/**
 * Holds every TypeScript file of the project against the style rules; exit 1 if one breaks them.
 * `--lower` writes lower ceilings where a count has become less; without it that is a breach too.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { aboveCeilings, lowered, measured, type Ceilings } from './ratchets.ts'
import { breaches } from './rules.ts'
import { readFile } from './source-file.ts'

const ceilingsFile = new URL('ceilings.json', import.meta.url)

const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx']
const paths = execFileSync('git', listed, { encoding: 'utf8' })
  .split('\n')
  .filter((path) => existsSync(path) && !path.includes('/generated/'))
const files = paths.map((path) => readFile(path, readFileSync(path, 'utf8')))
const now = measured(files)
const text = readFileSync(ceilingsFile, 'utf8')
const ceilings = JSON.parse(text) as Ceilings
const found = [...files.flatMap(breaches), ...aboveCeilings(now, ceilings)]
const lower = `${JSON.stringify(lowered(now, ceilings), undefined, 2)}\n`
if (process.argv.includes('--lower')) writeFileSync(ceilingsFile, lower)
else if (lower !== text) found.push('a count is below its ceiling: npm run style:lower')

process.stdout.write(found.map((line) => `${line}\n`).join(''))
process.stdout.write(`style: ${files.length} files, ${found.length} breaches\n`)
process.exitCode = found.length === 0 ? 0 : 1

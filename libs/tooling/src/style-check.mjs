/** Holds every TypeScript file of the project against the style rules; exit 1 if one breaks them. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { breaches, importCircles, readFile } from './style-rules.mjs'

const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx']
const paths = execFileSync('git', listed, { encoding: 'utf8' })
  .split('\n')
  .filter((path) => existsSync(path) && !path.includes('/generated/'))
const files = paths.map((path) => readFile(path, readFileSync(path, 'utf8')))
const found = [
  ...files.flatMap(breaches),
  ...importCircles(files).map((circle) => `a circle of imports: ${circle}`),
]

process.stdout.write(found.map((line) => `${line}\n`).join(''))
process.stdout.write(`style: ${files.length} files, ${found.length} breaches\n`)
process.exitCode = found.length === 0 ? 0 : 1

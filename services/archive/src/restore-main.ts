/**
 * `npm run restore -- --from FOLDER/YYYY-MM`: restores what `npm run archive` moved to files. Exits 0, or
 * 1 with an error message.
 */
import { restore } from './command.ts'

restore(process.argv.slice(2), {
  environment: process.env,
  report: (sentence) => process.stdout.write(`${sentence}\n`),
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})

/**
 * `npm run restore -- --from FOLDER/YYYY-MM`: puts back what `npm run archive` moved to files. Exit
 * 0, or 1 with a sentence.
 */
import { restore } from './command.ts'

restore(process.argv.slice(2), {
  environment: process.env,
  report: (sentence) => process.stdout.write(`${sentence}\n`),
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})

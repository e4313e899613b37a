/**
 * `npm run certify -- --fsp NAME`: tests an FSP over the wire, prints each case and writes the report.
 * Exits 0 when no case failed and at least one was run, 1 otherwise, 2 for options that are wrong.
 */
import { certify } from './command.ts'
import { WrongOption } from './options.ts'

certify(process.argv.slice(2), (line) => process.stdout.write(`${line}\n`)).then(
  // A trigger may still be under way.
  (isPassed) => process.exit(isPassed ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(error instanceof WrongOption ? 2 : 1)
  },
)

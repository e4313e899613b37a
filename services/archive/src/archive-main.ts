/**
 * `npm run archive -- --month YYYY-MM --to FOLDER`: moves what FSPs sent in a month, and how it was
 * delivered, from the database to files; with `--due` in place of the month, of each table what its
 * retention does not cover. Ids, states and the ledger stay. Exits 0, or 1 with an error message.
 */
import { archive } from './command.ts'

archive(process.argv.slice(2), {
  environment: process.env,
  report: (sentence) => process.stdout.write(`${sentence}\n`),
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})

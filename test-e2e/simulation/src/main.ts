/**
 * `npm run simulate -- --seed N --histories M`: plays histories, and ends with one line about them (exit 0),
 * or with the first one that is wrong, made as short as possible (exit 1).
 */
import './virtual/install.ts'

const { simulate } = await import('./simulate.ts')
process.exitCode = await simulate(process.argv.slice(2))

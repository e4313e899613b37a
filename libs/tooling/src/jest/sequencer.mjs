/**
 * Begins with the test files that take longest, so that none of them runs alone at the end. Jest knows how
 * long a file took when it ran here before; otherwise it goes by size, which tells little about files that wait.
 */
import Base from '@jest/test-sequencer'

/** From 20 s upwards on two busy processors, the longest first. */
const long = [
  'console.long.e2e',
  'npm-start-flags.long.e2e',
  'postgres-killed.long.e2e',
  'runbooks.long.e2e',
  'killed.long.e2e',
  'npm-start-commands.long.e2e',
  'silence.long.e2e',
  'flood.long.e2e',
  'bulk-transfer.long.e2e',
  'story.long.e2e',
  'sandbox.long.e2e',
  'npm-start.e2e',
  'delivery.e2e',
  'deliveries.long.int',
  'broken-payee.long.int',
  'bounds.long.int',
  'scheduler.long.int',
  'exclusive.int',
  'embedded-bus.int',
  'server.int',
]

export default class Sequencer extends Base {
  sort(tests) {
    const sorted = super.sort(tests)
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

function rank({ path }) {
  const at = long.findIndex((name) => path.endsWith(`/${name}.test.ts`))
  return at < 0 ? long.length : at
}

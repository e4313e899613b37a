/**
 * Begins with the test files that take longest, so that none of them runs alone at the end. Jest knows how
 * long a file took when it ran here before; otherwise it goes by size, which tells little about files that wait.
 */
import Base from '@jest/test-sequencer'

/** From 20 s upwards on two busy processors, the longest first. */
const long = [
  'npm-start.e2e',
  'console.e2e',
  'killed.e2e',
  'postgres-killed.e2e',
  'silence.e2e',
  'bulk-transfer.e2e',
  'npm-start-commands.e2e',
  'flood.e2e',
  'console-third-party.e2e',
  'delivery.e2e',
  'archive.e2e',
  'embedded-bus.int',
  'bounds.int',
  'server.int',
  'exclusive.int',
  'ledger.int',
  'deliveries.int',
  'load.int',
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

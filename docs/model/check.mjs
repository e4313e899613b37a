/**
 * `npm run model`: explores the model, then models with one rule broken, each of which must be caught, and
 * compares the histories that the tests of services/transfers replay with those of the model.
 *   --write   writes the histories instead
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { explore } from './explore.mjs'
import { historiesOf } from './histories.mjs'

const model = fileURLToPath(new URL('transfers.qnt', import.meta.url))
const histories = new URL(
  '../../services/transfers/src/testing/model-histories.json',
  import.meta.url,
)

/** Of each: the rule as it is, and as it would be wrong. */
const broken = [
  [
    'an answer is judged by when the ledger hears of it',
    'post(ready, t, m.at)',
    'post(ready, t, time)',
  ],
  ['the sweeper is ahead of the messages', 'clock(now, pending) >', 'now >'],
  ['the cover is not looked at', '.size() >= COVER)', '.size() > COVER)'],
  [
    'a request that comes again begins again',
    'if (s.rows.get(t) == NoRow) s.with',
    'if (true) s.with',
  ],
  [
    'a voided reservation still counts as paid',
    'else if (entry == NoEntry) s',
    'else if (entry == NoEntry or entry == Voided) s',
  ],
  ['a late fulfilment is posted', 'if (receivedAt < EXPIRATION) Posted else Voided', 'Posted'],
  ['nothing sweeps', 'isOpen(stored.rows.get(t)) and clock(', 'false and clock('],
]

const found = []
const { states, steps, history } = await explore(model, 'holds', {
  onStep: (step) => found.push(step),
})
if (history !== undefined)
  fail(`the model breaks its invariant after ${history.length - 1} steps`, history)
print(`transfers.qnt: the invariant holds in all ${states} states, ${steps} steps`)

const source = readFileSync(model, 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'causeway-model-'))
try {
  for (const [what, right, wrong] of broken) {
    if (source.split(right).length !== 2) throw new Error(`the model does not have once: ${right}`)
    const file = join(folder, 'transfers.qnt')
    writeFileSync(
      file,
      source.replace(right, () => wrong),
    )
    const { history: shortest } = await explore(file, 'holds')
    if (shortest === undefined) fail(`not caught: ${what}`)
    print(`caught after ${shortest.length - 1} steps: ${what}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}

const wanted = JSON.stringify(historiesOf(found))
if (process.argv.includes('--write')) writeFileSync(histories, wanted)
else if (JSON.stringify(JSON.parse(readFileSync(histories, 'utf8'))) !== wanted) {
  fail('the histories of services/transfers are not those of the model: npm run model -- --write')
}

function print(line) {
  process.stdout.write(`${line}\n`)
}

function fail(why, history = []) {
  print(why)
  for (const { action, state } of history)
    print(`${JSON.stringify(action)} ${JSON.stringify(state)}`)
  process.exit(1)
}

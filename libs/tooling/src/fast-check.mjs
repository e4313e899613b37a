/**
 * fast-check as the tests import it (jest/hooks.mjs), with settings for all properties:
 *   PROPERTY_RUNS   how many cases a property tries that names no number of its own (100); a property
 *                   that names one tries as many more or fewer in proportion
 *   PROPERTY_SEED   the seed of all cases (1), so that a change is judged by the same cases each time;
 *                   random: other cases in each run
 */
import fc from '../node_modules/fast-check/lib/fast-check.js'

export * from '../node_modules/fast-check/lib/fast-check.js'

const runs_default = 100
const { PROPERTY_RUNS, PROPERTY_SEED = '1' } = process.env
const numRuns = PROPERTY_RUNS === undefined ? runs_default : Number(PROPERTY_RUNS)

fc.configureGlobal({
  numRuns,
  ...(PROPERTY_SEED === 'random' ? {} : { seed: Number(PROPERTY_SEED) }),
})

export function assert(property, parameters = {}) {
  const own = parameters.numRuns ?? runs_default
  return fc.assert(property, {
    ...parameters,
    numRuns: Math.max(1, Math.round((own * numRuns) / runs_default)),
  })
}

export default { ...fc, assert }

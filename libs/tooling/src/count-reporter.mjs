/**
 * Appends `<passed> <failed>` to the file that TEST_COUNTS_FILE names, one line for each run of jest, so
 * that CI can add the runs up. A file of tests that cannot be loaded counts as one failed test, and so
 * does a test that was not run.
 */
import { appendFileSync } from 'node:fs'

export default class CountReporter {
  onRunComplete(_contexts, results) {
    const file = process.env.TEST_COUNTS_FILE
    if (file === undefined) return
    appendFileSync(file, `${results.numPassedTests} ${failures(results)}\n`)
  }
}

function failures(results) {
  const { numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = results
  return numFailedTests + numRuntimeErrorTestSuites + numPendingTests + numTodoTests
}

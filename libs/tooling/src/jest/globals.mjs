/** What tests import as `@jest/globals`: of the test file that runs at the moment. */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test

export function setGlobals(globals) {
  ;({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } = globals)
}

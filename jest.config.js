/** Node.js loads the TypeScript sources itself: libs/tooling/src/jest. */
const native = {
  testEnvironment: './libs/tooling/src/jest/environment.cjs',
  runtime: './libs/tooling/src/jest/runtime.cjs',
  transform: {},
  modulePathIgnorePatterns: ['/dist/'],
}

/** What runs before and after all test files of a project. */
const around = (setup, teardown) => ({
  globalSetup: './libs/tooling/src/jest/setup.mjs',
  globalTeardown: './libs/tooling/src/jest/teardown.mjs',
  testEnvironmentOptions: { setup, teardown },
})

const withPostgres = around(
  './libs/runtime/src/testing/int-setup.ts',
  './libs/embedded-postgres/src/testing/global-teardown.ts',
)

const withHub = around(
  './test-e2e/src/hub/template-setup.ts',
  './test-e2e/src/hub/template-teardown.ts',
)

/**
 * unit: no I/O, milliseconds. int: real PostgreSQL. kafka: a real broker beside it. hsm: a token of
 * SoftHSM beside it. e2e: the hub as a process, seen over the wire. long, long-int: stories and
 * integration tests that take long. containers: all stories, each service in a container of its own.
 */
export default {
  testSequencer: './libs/tooling/src/jest/sequencer.mjs',
  reporters: ['default', './libs/tooling/src/count-reporter.mjs'],
  projects: [
    {
      ...native,
      displayName: 'unit',
      testMatch: ['**/src/**/*.test.ts', '**/src/**/*.test.mjs'],
      testPathIgnorePatterns: [
        '\\.int\\.test\\.ts$',
        '\\.kafka\\.test\\.ts$',
        '\\.hsm\\.test\\.ts$',
        '\\.e2e\\.test\\.ts$',
      ],
    },
    {
      ...native,
      displayName: 'int',
      testMatch: ['**/src/**/*.int.test.ts'],
      testPathIgnorePatterns: ['\\.long\\.int\\.test\\.ts$'],
      ...withPostgres,
    },
    {
      ...native,
      displayName: 'long-int',
      testMatch: ['**/src/**/*.long.int.test.ts'],
      ...withPostgres,
    },
    {
      ...native,
      displayName: 'kafka',
      testMatch: ['**/src/**/*.kafka.test.ts'],
      ...around(
        './libs/bus/src/testing/kafka-setup.ts',
        './libs/bus/src/testing/kafka-teardown.ts',
      ),
    },
    {
      ...native,
      displayName: 'hsm',
      testMatch: ['**/src/**/*.hsm.test.ts'],
      ...withPostgres,
    },
    {
      ...native,
      displayName: 'e2e',
      testMatch: ['**/test-e2e/src/**/*.e2e.test.ts'],
      testPathIgnorePatterns: ['\\.long\\.e2e\\.test\\.ts$'],
      ...withHub,
    },
    {
      ...native,
      displayName: 'long',
      testMatch: ['**/test-e2e/src/**/*.long.e2e.test.ts'],
      ...withHub,
    },
    {
      ...native,
      displayName: 'containers',
      testMatch: ['**/test-e2e/src/**/*.e2e.test.ts'],
      testPathIgnorePatterns: [
        // These test the hub in one process itself, its load, or the pages of the console, which admin
        // alone serves; the Kafka tests have traces of services apart.
        '/(archive|npm-start(-[a-z]+)?|runbooks|killed|postgres-killed|(bulk-)?flood|console(-[a-z-]+)?|release|traces)(\\.long)?\\.e2e\\.test\\.ts$',
      ],
      ...around(
        './test-e2e/src/hub/containers-setup.ts',
        './test-e2e/src/hub/containers-teardown.ts',
      ),
    },
  ],
}

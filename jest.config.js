const typescript = {
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  modulePathIgnorePatterns: ['/dist/'],
  moduleNameMapper: { '^fast-check$': '<rootDir>/libs/tooling/src/fast-check.mjs' },
}

/**
 * unit: no I/O, milliseconds. int: real PostgreSQL. kafka: a real broker beside it. e2e: the hub as a
 * process, seen over the wire. containers: the same stories, each service in a container of its own.
 */
export default {
  reporters: ['default', './libs/tooling/src/count-reporter.mjs'],
  projects: [
    {
      ...typescript,
      displayName: 'unit',
      testMatch: ['**/src/**/*.test.ts', '**/src/**/*.test.mjs'],
      testPathIgnorePatterns: [
        '\\.int\\.test\\.ts$',
        '\\.kafka\\.test\\.ts$',
        '\\.e2e\\.test\\.ts$',
      ],
    },
    {
      ...typescript,
      displayName: 'int',
      testMatch: ['**/src/**/*.int.test.ts'],
      globalSetup: './libs/runtime/src/testing/global-setup.ts',
      globalTeardown: './libs/runtime/src/testing/global-teardown.ts',
    },
    {
      ...typescript,
      displayName: 'kafka',
      testMatch: ['**/src/**/*.kafka.test.ts'],
      globalSetup: './libs/runtime/src/testing/kafka-setup.ts',
      globalTeardown: './libs/runtime/src/testing/kafka-teardown.ts',
    },
    {
      ...typescript,
      displayName: 'e2e',
      testMatch: ['**/test-e2e/src/**/*.e2e.test.ts'],
      globalSetup: './test-e2e/src/hub/template-setup.ts',
      globalTeardown: './test-e2e/src/hub/template-teardown.ts',
    },
    {
      ...typescript,
      displayName: 'containers',
      testMatch: ['**/test-e2e/src/**/*.e2e.test.ts'],
      // Of these the hub in one process is itself the matter, or the load is.
      testPathIgnorePatterns: [
        '/(archive|front-door|killed|postgres-killed|flood|console|release)\\.e2e\\.test\\.ts$',
      ],
      globalSetup: './test-e2e/src/hub/containers-setup.ts',
      globalTeardown: './test-e2e/src/hub/containers-teardown.ts',
    },
  ],
}

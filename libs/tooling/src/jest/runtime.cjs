/** Loads a test file as Node.js loads any module, for the `jest-circus` that runs it. */
const hooks = require('node:async_hooks')
const { pathToFileURL } = require('node:url')

const { AsyncLocalStorage } = hooks
/**
 * Before Node.js 24 each storage is asked at each promise, until it is disabled. From then on one costs
 * nothing, and the property cannot be set.
 */
const isCostly = Object.getOwnPropertyDescriptor(hooks, 'AsyncLocalStorage').writable === true

module.exports = class NativeRuntime {
  #environment
  #storages = []

  constructor(_config, environment) {
    this.#environment = environment
  }

  /** Jest-circus keeps the state of one test file in its module: each file gets it anew. */
  requireInternalModule(path) {
    delete require.cache[require.resolve(path)]
    delete globalThis[Symbol.for('EVENT_HANDLERS')]
    return isCostly ? this.#noting(() => require(path)) : require(path)
  }

  /** Notes the storages that are made meanwhile, to disable them with this runtime. */
  #noting(run) {
    const storages = this.#storages
    hooks.AsyncLocalStorage = class extends AsyncLocalStorage {
      constructor(...options) {
        super(...options)
        storages.push(this)
      }
    }
    try {
      return run()
    } finally {
      hooks.AsyncLocalStorage = AsyncLocalStorage
    }
  }

  setGlobalsForRuntime(globals) {
    const { fakeTimersModern: timers, moduleMocker: mocker } = this.#environment
    const jest = {
      fn: mocker.fn.bind(mocker),
      useFakeTimers: (config) => timers.useFakeTimers(config),
      useRealTimers: () => timers.useRealTimers(),
      getTimerCount: () => timers.getTimerCount(),
      advanceTimersByTime: (time_ms) => timers.advanceTimersByTime(time_ms),
      advanceTimersByTimeAsync: (time_ms) => timers.advanceTimersByTimeAsync(time_ms),
    }
    this.#environment.globals.setGlobals({ ...globals, jest })
  }

  requireModule(path) {
    return require(path)
  }

  unstable_shouldLoadAsEsm() {
    return true
  }

  async unstable_importModule(path) {
    await import(pathToFileURL(path).href)
  }

  enterTestCode() {}
  leaveTestCode() {}

  /** Before Node.js 24 each storage that was ever used is visited at each promise, for good. */
  teardown() {
    for (const storage of this.#storages) storage.disable()
  }

  getSourceMaps() {}
  getAllCoverageInfoCopy() {}
}

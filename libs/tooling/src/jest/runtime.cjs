/** Loads a test file as Node.js loads any module, for the `jest-circus` that runs it. */
const { pathToFileURL } = require('node:url')

module.exports = class NativeRuntime {
  #environment

  constructor(_config, environment) {
    this.#environment = environment
  }

  /** Jest-circus keeps the state of one test file in its module: each file gets it anew. */
  requireInternalModule(path) {
    delete require.cache[require.resolve(path)]
    delete globalThis[Symbol.for('EVENT_HANDLERS')]
    return require(path)
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
  teardown() {}
  getSourceMaps() {}
  getAllCoverageInfoCopy() {}
}

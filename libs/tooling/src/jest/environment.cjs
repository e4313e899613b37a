/**
 * Tests run in Node.js as it is, not in a context of jest's making: what they import is loaded once for
 * each worker instead of once for each test file. What a file changes of the process, this puts back.
 */
const { ModernFakeTimers } = require('@jest/fake-timers')
const { ModuleMocker } = require('jest-mock')

const { console, process } = globalThis
const exit = process.exit.bind(process)
/** Jest asks for 100, which makes each error dear, those that are meant included. */
const stackFrames = 20

module.exports = class NativeEnvironment {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  fakeTimers = null
  fakeTimersModern

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis })
  }

  async setup() {
    this.variables = { ...process.env }
    this.globals = await import('./globals.mjs')
    Error.stackTraceLimit = stackFrames
    // Jest's own looks for source maps; there are none, since lines and columns are those of the source.
    delete Error.prepareStackTrace
  }

  teardown() {
    this.fakeTimersModern.dispose()
    for (const name of Object.keys(process.env)) {
      if (!Object.hasOwn(this.variables, name)) delete process.env[name]
    }
    Object.assign(process.env, this.variables)
    process.exit = exit
    globalThis.console = console
  }

  /** Jest asks whether it is there. */
  getVmContext() {
    return null
  }
}

/**
 * How Node.js loads tests and what they test: from the TypeScript sources, of which only the types are cut
 * away, so that lines and columns in stack traces are those of the source.
 * `node --conditions=source --import <this file> program.ts`
 *
 * The modules of jest and fast-check that a test imports are those beside this file.
 */
import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort } from 'node:worker_threads'
import { stripped } from './stripped.mjs'

const replaced = {
  '@jest/globals': new URL('globals.mjs', import.meta.url).href,
  'fast-check': new URL('../fast-check.mjs', import.meta.url).href,
}

// Before Node.js 22.15 hooks run in a thread of their own, which loads this file too and has no port.
if (nodeModule.registerHooks !== undefined) nodeModule.registerHooks({ resolve, load })
else if (isMainThread || parentPort !== null) nodeModule.register(import.meta.url)

// The scripts of package.json name a time limit; one that is named behind it counts, where jest would read a list.
if (isMainThread) {
  const option = '--testTimeout'
  const [first, last] = [process.argv.indexOf(option), process.argv.lastIndexOf(option)]
  if (first !== last) process.argv.splice(first, 2)
}

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, next) {
  const url = replaced[specifier]
  return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
}

/** @type {import('node:module').LoadHook} */
export function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const filename = fileURLToPath(url)
  const code = stripped(filename, readFileSync(filename, 'utf8'))
  return { format: 'module', source: `${code}\n//# sourceURL=${url}`, shortCircuit: true }
}

/**
 * Breaks one line of one source while Node.js loads it; the environment says which. Loaded after the hooks
 * that know TypeScript: `node --import hooks of TypeScript --import <this file> main.ts`
 */
import * as nodeModule from 'node:module'
import { isMainThread, parentPort } from 'node:worker_threads'

const { file, from, to } = JSON.parse(process.env.SIMULATION_MUTANT ?? '{}')

// Before Node.js 22.15 hooks run in a thread of their own, which loads this file too and has no port.
if (nodeModule.registerHooks !== undefined) nodeModule.registerHooks({ load })
else if (isMainThread || parentPort !== null) nodeModule.register(import.meta.url)

/** @type {import('node:module').LoadHook} */
export function load(url, context, next) {
  const loaded = next(url, context)
  if (file === undefined || !url.endsWith(`/${file}`)) return loaded
  return loaded instanceof Promise ? loaded.then(broken) : broken(loaded)
}

function broken(loaded) {
  const source = String(loaded.source)
  if (source.split(from).length !== 2) throw new Error(`${file} has no line to break`)
  return { ...loaded, source: source.replace(from, () => to) }
}

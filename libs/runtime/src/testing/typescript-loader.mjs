/**
 * Lets a child process of a test run our TypeScript sources as they are:
 * `node --conditions=source --import <this file> program.ts`.
 */
import { transformSync } from '@swc/core'
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'

if (isMainThread) register(import.meta.url)

/** @type {import('node:module').LoadHook} */
export function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
    filename: fileURLToPath(url),
    configFile: false,
    swcrc: false,
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  })
  return { format: 'module', source: code, shortCircuit: true }
}

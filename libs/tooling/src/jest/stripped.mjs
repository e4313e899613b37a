/**
 * TypeScript without its types, which takes a hundred times as long as reading what an earlier run kept:
 * each process of a run loads a thousand files. Kept is one version of each file.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = fileURLToPath(new URL('../../../../node_modules/.cache/stripped/', import.meta.url))
const { version } = require('@swc/wasm-typescript/package.json')

let strip

/** @param filename absolute @param text of the file */
export function stripped(filename, text) {
  const kept = `${folder}${filename.replace(root, '').replaceAll(/[/\\]/g, '+')}`
  const hash = createHash('sha256').update(version).update(text).digest('hex')
  const before = read(kept)
  if (before?.startsWith(hash)) return before.slice(hash.length)
  strip ??= require('@swc/wasm-typescript').transformSync
  const { code } = strip(text, { filename, mode: 'strip-only' })
  write(kept, hash + code)
  return code
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Another process may be reading or writing it. */
function write(path, text) {
  mkdirSync(folder, { recursive: true })
  const own = `${path}.${process.pid}`
  writeFileSync(own, text)
  renameSync(own, path)
}

/**
 * Loaded into a process of the hub before its own program: at each SIGUSR2 it collects all garbage and
 * tells `heap.ts`, in a file that bears its number, how many bytes of objects and of buffers stay.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = new URL(import.meta.url).searchParams.get('folder') ?? '.'

process.on('SIGUSR2', () => {
  // What only weak references hold goes with the second one.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  const file = join(folder, `${process.pid}`)
  writeFileSync(`${file}.new`, `${heapUsed + arrayBuffers}`)
  renameSync(`${file}.new`, file)
})

/**
 * Loaded into a process of the hub before its own program: at each SIGUSR2 it collects all garbage
 * and writes the bytes of the remaining objects and buffers to a file that is named by the process
 * id, for `heap.ts`.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = new URL(import.meta.url).searchParams.get('folder') ?? '.'

process.on('SIGUSR2', () => {
  // Objects that only weak references hold are collected by the second call.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  const file = join(folder, `${process.pid}`)
  writeFileSync(`${file}.new`, `${heapUsed + arrayBuffers}`)
  renameSync(`${file}.new`, file)
})

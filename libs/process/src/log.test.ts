import { expect, test } from '@jest/globals'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logTo, openLog } from './log.ts'

test('A log that cannot be written loses its lines and stops nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  const file = join(folder, 'log')
  const closed = openSync(file, 'w')
  closeSync(closed)
  try {
    const readOnly = openSync(file, 'r')
    const log = openLog({ name: 'test', level: 'info', destination: logTo(readOnly) })
    for (let lines = 0; lines < 3; lines++) log.info('this line is lost')
    closeSync(readOnly)
    expect(readFileSync(file, 'utf8')).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('Log lines are written to the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  const file = join(folder, 'log')
  try {
    const writable = openSync(file, 'w')
    openLog({ name: 'test', level: 'info', destination: logTo(writable) }).info('hello')
    expect(readFileSync(file, 'utf8')).toContain('"msg":"hello"')
    closeSync(writable)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { socketFolderOf } from './data-folder-owner.ts'

const pathOf = (bytes: number) => `/${'d'.repeat(bytes - '/run'.length - 1)}`

test('the socket lies in DATA_DIR/run while that path has at most 90 bytes', () => {
  expect(socketFolderOf(pathOf(90))).toBe(join(pathOf(90), 'run'))
})

test('a longer path is replaced by one that is named after DATA_DIR', () => {
  const hash = createHash('sha256').update(pathOf(91)).digest('hex').slice(0, 8)
  expect(socketFolderOf(pathOf(91))).toBe(join(tmpdir(), `causeway-${hash}`))
})

test('bytes are counted, not characters', () => {
  expect(socketFolderOf(`/${'é'.repeat(50)}`)).toMatch(/causeway-[0-9a-f]{8}$/)
})

test('a DATA_DIR that the user of PostgreSQL cannot reach has its socket elsewhere', () => {
  expect(socketFolderOf('/closed', false)).toMatch(/causeway-[0-9a-f]{8}$/)
})

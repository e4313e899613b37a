import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { socketFolderOf } from './data-folder-owner.ts'

const pathOf = (bytes: number) => `/${'d'.repeat(bytes - '/run'.length - 1)}`

test('The socket is in DATA_DIR/run if that path has at most 90 bytes', () => {
  expect(socketFolderOf(pathOf(90))).toBe(join(pathOf(90), 'run'))
})

test('A longer socket path is replaced by one that is derived from DATA_DIR', () => {
  const hash = createHash('sha256').update(pathOf(91)).digest('hex').slice(0, 8)
  expect(socketFolderOf(pathOf(91))).toBe(join(tmpdir(), `causeway-${hash}`))
})

test('The length of a socket path is counted in bytes, not characters', () => {
  expect(socketFolderOf(`/${'é'.repeat(50)}`)).toMatch(/causeway-[0-9a-f]{8}$/)
})

test('A DATA_DIR that the user of PostgreSQL cannot reach has its socket elsewhere', () => {
  expect(socketFolderOf('/closed', false)).toMatch(/causeway-[0-9a-f]{8}$/)
})

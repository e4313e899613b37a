import { expect, test } from '@jest/globals'
import { failure, fullDisk } from './data-folder.ts'

const panic = 'PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device'

test('A full disk is reported as such, whether PostgreSQL does not start or ends because of it', () => {
  expect(failure('/data', panic).message).toBe('The disk of DATA_DIR /data is full.')
  expect(fullDisk('/data', panic)).toBe(': the disk of DATA_DIR /data is full')
  expect(fullDisk('/data', 'LOG:  database system is ready')).toBe('')
})

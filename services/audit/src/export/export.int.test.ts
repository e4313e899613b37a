import * as authService from '@causeway/auth-service'
import { makeComponentKey, type TestComponentKey } from '@causeway/keys/components/testing'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorld, type AuditWorld } from '../testing/world.ts'

let folder: string
let quoting: TestComponentKey
let world: AuditWorld

/** Its folder does not exist at the start. */
const pathIn = (name: string) => join(folder, 'siem', name)

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-export-'))
  quoting = await makeComponentKey()
  world = await openWorld(authService, { AUDIT_EXPORT_FILE: pathIn('audit.jsonl') })
  await world.register('quoting', quoting)
})

afterEach(async () => {
  await world.stop()
  quoting.remove()
  rmSync(folder, { recursive: true })
})

interface Line {
  readonly n: string
  readonly hash: string
  readonly previousHash: string
  readonly entry: { readonly id: string }
}

function linesOf(name: string): readonly Line[] {
  if (!existsSync(pathIn(name))) return []
  const texts = readFileSync(pathIn(name), 'utf8').split('\n').slice(0, -1)
  return texts.map((text) => JSON.parse(text) as Line)
}

const isIn = (name: string, id: string) => linesOf(name).some(({ entry }) => entry.id === id)

test('Each audit entry is exported in its order, with members that stay and the proof of its place', async () => {
  mkdirSync(join(folder, 'siem'))
  const before = await world.publish('quoting', quoting, { subject: 'one' })
  const id = await world.publish('quoting', quoting, { subject: 'two' })
  await eventually(() => isIn('audit.jsonl', id), 'the last entry in the file')
  const lines = linesOf('audit.jsonl')
  expect(lines.map(({ n }) => Number(n))).toEqual(lines.map((_line, at) => at + 1))
  expect(lines.slice(1).map(({ previousHash }) => previousHash)).toEqual(
    lines.slice(0, -1).map(({ hash }) => hash),
  )
  expect(lines.map(({ entry }) => entry.id)).toEqual(expect.arrayContaining([before, id]))
  const line = lines.find(({ entry }) => entry.id === id)
  expect(Object.keys(line ?? {}).toSorted()).toEqual(
    [
      'entry',
      'hash',
      'keyId',
      'n',
      'previousHash',
      'provenance',
      'recordedAt',
      'schema',
    ].toSorted(),
  )
  expect(line).toMatchObject({
    schema: 'causeway.audit/1',
    provenance: 'SIGNED',
    entry: {
      actionType: 'Act',
      actionSuccessful: true,
      sourceBcName: 'quoting',
      subject: 'two',
      securityContext: { userId: 'ada' },
    },
  })
})

test('What could not be written is exported when it can be, and is counted until then', async () => {
  const id = await world.publish('quoting', quoting)
  const behind = async () => {
    const text = await world.parts.metrics.metrics()
    return Number(/^audit_export_behind_entries (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  await eventually(async () => (await behind()) > 0, 'an entry that is behind')
  mkdirSync(join(folder, 'siem'))
  await eventually(() => isIn('audit.jsonl', id), 'the entry in the file')
  await eventually(async () => (await behind()) === 0, 'no entry that is behind')
})

test('After the file was renamed, as log rotation does, the export goes on in a new one', async () => {
  mkdirSync(join(folder, 'siem'))
  const first = await world.publish('quoting', quoting)
  await eventually(() => isIn('audit.jsonl', first), 'the first entry')
  renameSync(pathIn('audit.jsonl'), pathIn('audit.jsonl.1'))
  const second = await world.publish('quoting', quoting)
  await eventually(() => isIn('audit.jsonl', second), 'the second entry')
  expect(isIn('audit.jsonl', first)).toBe(false)
})

import { expect, test } from '@jest/globals'
import { aboveCeilings, lowered, measured, type Ceilings } from './ratchets.ts'
import { readFile } from './source-file.ts'

const folder = 'services/transfers/src'
const none = measured([])

function counted(files: Readonly<Record<string, string>>): Ceilings {
  return measured(Object.entries(files).map(([path, text]) => readFile(path, text)))
}

function many(n: number, text: string, name = 'a'): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: n }, (_, at) => [`${folder}/${name}${at}.ts`, text] as const),
  )
}

test('A folder has twenty source files; tests and the files of its folders do not count', () => {
  const twenty = many(20, 'export const a = 1')
  const besides = { [`${folder}/a.test.ts`]: '', [`${folder}/domain/a.ts`]: '' }
  expect(counted({ ...twenty, ...besides }).folders).toEqual({})
  expect(counted(many(21, 'export const a = 1')).folders).toEqual({ [folder]: 21 })
})

test('A small file with one importer is joined with it, unless it says why it is a file of its own', () => {
  const one = { [`${folder}/a.ts`]: "import { b } from './b.ts'" }
  const other = { [`${folder}/c.ts`]: "import { b } from './b.ts'" }
  const small = { [`${folder}/b.ts`]: '/** A promise. */' }
  expect(counted({ ...one, ...small }).smallFiles).toEqual({ [`${folder}/b.ts`]: 1 })
  expect(counted({ ...one, ...other, ...small }).smallFiles).toEqual({})
  const withReason = {
    [`${folder}/b.ts`]: '/** A promise. A file of its own: a thread loads it. */',
  }
  expect(counted({ ...one, ...withReason }).smallFiles).toEqual({})
  expect(counted({ ...one, [`${folder}/b.ts`]: '\n'.repeat(60) }).smallFiles).toEqual({})
  const entry = { [`${folder}/index.ts`]: "export { b } from './b.ts'" }
  expect(counted({ ...entry, ...small }).smallFiles).toEqual({})
})

test('A library that imports a service or tooling runs upward, and so do contracts that import a library', () => {
  const text = (name: string) => `import { a } from '@causeway/${name}'`
  const files = {
    'libs/money/src/a.ts': text('transfers'),
    'libs/process/src/a.ts': text('tooling'),
    'libs/tooling/src/a.ts': text('transfers'),
    'protos/src/a.ts': text('money'),
    'services/transfers/src/a.ts': text('money'),
    'test-e2e/src/a.ts': text('transfers'),
  }
  expect(counted(files).upwardImports).toEqual({
    'libs/money -> services/transfers': 1,
    'libs/process -> libs/tooling': 1,
    'protos -> libs/money': 1,
  })
})

test('Folders beside each other that import each other are a circle, types included', () => {
  const text = (path: string) => `import type { A } from '../${path}.ts'`
  const files = {
    [`${folder}/one/a.ts`]: text('two/b'),
    [`${folder}/two/b.ts`]: text('three/c'),
    [`${folder}/three/c.ts`]: text('a'),
    [`${folder}/a.ts`]: "import { a } from './one/a.ts'",
  }
  expect(counted(files).folderCircles).toEqual({})
  expect(counted({ ...files, [`${folder}/three/c.ts`]: text('one/a') }).folderCircles).toEqual({
    [`${folder}/one, ${folder}/three, ${folder}/two`]: 1,
  })
})

test('A type name may be declared in five files', () => {
  expect(counted(many(5, 'export type Row = string')).typeNames).toEqual({})
  expect(counted(many(6, 'interface Row {}')).typeNames).toEqual({ Row: 6 })
})

test('Bare participles as names and negative turns are counted, participles in texts are not', () => {
  const text = "/** Identifies nobody. */\nexport const asked = 'asked'\n// Given up for none.\n"
  expect(counted({ [`${folder}/a.ts`]: text }).words).toEqual({
    asked: 1,
    nobody: 1,
    'for none': 1,
  })
})

test('A count above its ceiling is a sentence, one below it lowers it, and no ceiling rises', () => {
  const ceilings = { ...none, typeNames: { Row: 7, Gone: 6 } }
  const seven = counted(many(7, 'type Row = string'))
  expect(aboveCeilings(seven, ceilings)).toEqual([])
  const eight = counted(many(8, 'type Row = string'))
  expect(aboveCeilings(eight, ceilings)).toEqual(['8 files declare a type Row: give it its noun'])
  expect(lowered(eight, ceilings).typeNames).toEqual({ Row: 7 })
  const six = counted(many(6, 'type Row = string'))
  expect(lowered(six, ceilings).typeNames).toEqual({ Row: 6 })
  expect(lowered(six, { ...none, typeNames: {} }).typeNames).toEqual({})
})

import { expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The files of migrations, by folder. */
function folders() {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*/migrations/*.sql']
  const byFolder = new Map()
  for (const path of execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\n')) {
    const [, folder, name] = /^(.*)\/([^/]+)$/.exec(path) ?? ['', '', '']
    if (folder === '' || folder.includes('/testing/')) continue
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), name])
  }
  return byFolder
}

test.each([...folders()])('No two migrations of %s have the same number', (_folder, names) => {
  const numbers = names.map((name) => name.slice(0, 4))
  const again = names.filter((_name, at) => numbers.indexOf(numbers[at]) !== at)
  expect(again).toEqual([])
})

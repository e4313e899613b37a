import { expect, test } from '@jest/globals'
import { approvalKinds, descriptionOf, hasDatabase, serviceNames } from '@causeway/services'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The files of migrations, by folder. */
function folders(): ReadonlyMap<string, readonly string[]> {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*/migrations/*.sql']
  const byFolder = new Map<string, readonly string[]>()
  for (const path of execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\n')) {
    const [, folder = '', name = ''] = /^(.*)\/([^/]+)$/.exec(path) ?? []
    if (folder === '' || folder.includes('/testing/')) continue
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), name])
  }
  return byFolder
}

test.each([...folders()])('No two migrations of %s have the same number', (_folder, names) => {
  const numbers = names.map((name) => name.slice(0, 4))
  const again = names.filter((name, at) => numbers.indexOf(name.slice(0, 4)) !== at)
  expect(again).toEqual([])
})

test('Each service with changes that two persons make hosts the table of them, and no other one does', () => {
  const hosts = serviceNames.filter((name) => descriptionOf(name).hosts?.includes('libs/approvals'))
  const owners = Object.values(approvalKinds).map(({ service }) => service)
  expect(new Set(hosts)).toEqual(new Set(owners))
})

test('Each package with migrations is a service or is hosted by one', () => {
  const hosted = serviceNames.flatMap((name) => descriptionOf(name).hosts ?? [])
  const own = serviceNames.filter(hasDatabase).map((name) => `services/${name}`)
  const found = [...folders().keys()]
    .map((folder) => folder.slice(0, -'/migrations'.length))
    // The bus has a schema of its own, and so has a part of the bench.
    .filter((folder) => folder !== 'libs/bus' && !folder.startsWith('test-e2e/'))
  expect(new Set(found)).toEqual(new Set([...hosted, ...own]))
})

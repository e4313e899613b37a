import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { z } from 'zod'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const named = z.record(z.string(), z.string()).default({})
const manifestSchema = z.object({ name: z.string(), dependencies: named })

/** It runs from a checkout, and never in an image. */
const neverInstalled = 'libs/tooling'
/** A server for mails that developers start, and the definition of a service of tests. */
const ofTests = new Set([
  'services/notifications/src/mail-server.ts',
  'libs/grpc/src/test-service.ts',
])
const testFile = /\.test\.ts$|\/testing(\/|[a-z-]*\.ts$)/

const packages = ['libs', 'services']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((path) => path !== neverInstalled && existsSync(join(root, path, 'package.json')))
  .toSorted()

/** The packages that a file loads; types are gone when it runs. */
function loadedBy(text: string): readonly string[] {
  const all = text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^.'][^']*)'/gm)
  return [...all].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('node:')) return []
    return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  })
}

test.each(packages)('What the product of %s loads is installed with it', (path) => {
  const { name, dependencies } = manifestSchema.parse(
    JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')),
  )
  const files = readdirSync(join(root, path, 'src'), { encoding: 'utf8', recursive: true })
    .map((file) => `${path}/src/${file}`)
    .filter((file) => file.endsWith('.ts') && !testFile.test(file) && !ofTests.has(file))
  const missing = files.flatMap((file) =>
    loadedBy(readFileSync(join(root, file), 'utf8'))
      .filter((loaded) => loaded !== name && !Object.hasOwn(dependencies, loaded))
      .map((loaded) => `${file}: ${loaded}`),
  )
  expect(missing).toEqual([])
})

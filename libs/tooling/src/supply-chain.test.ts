/** The rules for what the hub is made of: packages, bill of materials, base image, Node.js. */
import { expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { faultsOf, productionPackages, readLockfile } from './lockfile.mjs'
import { supportOf, usedVersions } from './node-support.mjs'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('Every package of the lockfile comes from the registry and has a SHA-512', () => {
  expect(faultsOf(readLockfile())).toEqual([])
})

test.each([
  ['has no SHA-512', { integrity: 'sha1-x' }],
  ['does not come from the registry', { integrity: 'sha512-x', tarball: 'https://example/x.tgz' }],
])('A lockfile with a package that %s is refused', (fault, resolution) => {
  expect(faultsOf({ packages: { 'x@1.0.0': { resolution } } })).toEqual([
    expect.stringContaining(fault),
  ])
})

test('The packages of the hub are those that its services load, and what these load, without those of tests', () => {
  const packages = productionPackages(readLockfile())
  const names = [...packages.keys()].map((key) => key.slice(0, key.lastIndexOf('@')))
  expect(names).toEqual(expect.arrayContaining(['express', 'kafkajs', 'pg', 'pg-protocol', 'zod']))
  expect(
    names.filter((name) => ['jest', 'playwright-core', 'testcontainers'].includes(name)),
  ).toEqual([])
  expect([...packages.values()].filter((hash) => hash?.startsWith('sha512-') !== true)).toEqual([])
})

/** The condition that the Dockerfile checks first, in a shell. */
function buildWith(environment: Readonly<Record<string, string>>) {
  const [, check = ''] = /^RUN (\[ -z "\$RELEASE" \].*)$/m.exec(read('deploy/Dockerfile')) ?? []
  expect(check).not.toBe('')
  return spawnSync('sh', ['-c', check], { env: { ...process.env, ...environment } }).status
}

test('The image of a release is not built without the digest of its base image', () => {
  const digest = 'a'.repeat(64)
  expect(buildWith({ RELEASE: '', NODE_IMAGE: 'node:24-slim' })).toBe(0)
  expect(buildWith({ RELEASE: '1.0.0', NODE_IMAGE: 'node:24-slim' })).toBe(1)
  expect(buildWith({ RELEASE: '1.0.0', NODE_IMAGE: 'node:24-slim@sha256:1234' })).toBe(1)
  expect(buildWith({ RELEASE: '1.0.0', NODE_IMAGE: `node:24-slim@sha256:${digest}` })).toBe(0)
})

test('The image checks its own health, on the port that a service has', () => {
  const [, words = '[]'] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(read('deploy/Dockerfile')) ?? []
  const [program, ...args] = z.array(z.string()).parse(JSON.parse(words))
  expect(program).toBe('node')
  // Nothing listens on port 1.
  const env = { ...process.env, METRICS_PORT: '1' }
  expect(spawnSync(process.execPath, args, { env }).status).toBe(1)
})

test('A version of Node.js is refused from the day after its last security fixes', () => {
  expect(supportOf('20', new Date('2026-04-30T23:59:59Z')).fault).toBeUndefined()
  expect(supportOf('20', new Date('2026-05-01T00:00:00Z')).fault).toContain('2026-04-30')
  expect(supportOf('24', new Date('2028-01-01T00:00:00Z')).isNear).toBe(true)
  expect(supportOf('99', new Date()).fault).toContain('not known')
})

test('The versions of Node.js of CI and of the image are found and have a known end', () => {
  const versions = usedVersions(read)
  expect(versions).toHaveLength(2)
  expect(versions.filter(([, major]) => supportOf(major, new Date(0)).fault !== undefined)).toEqual(
    [],
  )
})

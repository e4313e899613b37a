/**
 * The software bill of materials that `npm run sbom` has written lists every package that the hub loads,
 * with its version and hash; ends with 1, and names those that it does not, otherwise.
 */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { productionPackages, readLockfile } from './lockfile.mjs'

const component = z.object({
  group: z.string().default(''),
  name: z.string(),
  version: z.string(),
  hashes: z.array(z.object({ alg: z.string(), content: z.string() })).default([]),
})

const [, , file = 'sbom.cdx.json'] = process.argv
const { bomFormat, specVersion, components } = z
  .object({ bomFormat: z.string(), specVersion: z.string(), components: z.array(component) })
  .parse(JSON.parse(readFileSync(file, 'utf8')))
const listed = new Map(
  components.map(({ group, name, version, hashes }) => [
    `${group === '' ? '' : `${group}/`}${name}@${version}`,
    hashes.find(({ alg }) => alg === 'SHA-512')?.content,
  ]),
)
const hexOf = (integrity = '') =>
  Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
const packages = productionPackages(readLockfile())
const missing = [...packages].filter(([name, integrity]) => listed.get(name) !== hexOf(integrity))
if (bomFormat !== 'CycloneDX' || missing.length > 0) {
  process.stdout.write(`${file} lacks, or has with another hash:\n`)
  for (const [name] of missing) process.stdout.write(`  ${name}\n`)
  process.exit(1)
}
process.stdout.write(
  `${file}: CycloneDX ${specVersion}, all ${packages.size} packages of the hub\n`,
)

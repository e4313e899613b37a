/**
 * Writes the catalogue as it is released, for the test that holds the next release against it:
 * `releases/VERSION.json`, with the version of the repository.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { catalogue } from './catalogue/catalogue.ts'
import { releaseOf } from './testing/compatibility.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string }
const file = new URL(`../releases/${version}.json`, import.meta.url)
writeFileSync(file, `${JSON.stringify(releaseOf(catalogue), undefined, 1)}\n`)

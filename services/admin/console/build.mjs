/** Builds the console when a source is another one than at the last build; else it takes no time. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const stamp = join(folder, 'dist/site/.built')
const sources = ['index.html', 'vite.config.ts', 'package.json', ...filesIn('src')]
const hash = createHash('sha256')
for (const path of sources) hash.update(path).update(readFileSync(join(folder, path)))
const wanted = hash.digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  // Also where a test starts the build: React for development mounts each view twice.
  process.env['NODE_ENV'] = 'production'
  const { build } = await import('vite')
  await build({ root: folder, configFile: join(folder, 'vite.config.ts'), logLevel: 'error' })
  writeFileSync(stamp, wanted)
}

function filesIn(path) {
  return readdirSync(join(folder, path), { withFileTypes: true })
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .flatMap((entry) =>
      entry.isDirectory() ? filesIn(`${path}/${entry.name}`) : [`${path}/${entry.name}`],
    )
}

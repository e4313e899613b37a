/** Runs before the stories of a run. */
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openRunFolder } from '@causeway/embedded-postgres/testing'
import { projectFolder } from './npm-runner.ts'
import { serveHubs } from './hubs.ts'
import { openHub } from './scheme.ts'
import { makeTemplate } from './template.ts'

export default async function templateSetup(): Promise<void> {
  openRunFolder()
  // Code that the first hub has compiled is cached for the others.
  process.env['NODE_COMPILE_CACHE'] = mkdtempSync(join(tmpdir(), 'compiled-'))
  // Builds what is stale: the stories run the built hub, and none of them prints a build.
  await promisify(execFile)('npm', ['start', '--silent', '--', '--help'], { cwd: projectFolder })
  await makeTemplate()
  await serveHubs(openHub)
}

/** Jest loads this itself, without the hooks of Node.js that know TypeScript; the project names the real one. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export default async function teardown(_global, { rootDir, testEnvironmentOptions: options }) {
  const { default: run } = await import(pathToFileURL(join(rootDir, options.teardown)).href)
  await run()
}

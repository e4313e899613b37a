/** The secrets of a hub whose services run apart, made by a process that ends when they are there. */
import { run } from '@causeway/runtime'
import { makeSecrets } from './make-secrets.ts'
import { secretsSettings } from './settings.ts'

await run('secrets', secretsSettings, async (values) => {
  await makeSecrets(values)
  process.stdout.write(`The secrets are in ${values.SECRETS_DIR}.\n`)
  return { stop: () => Promise.resolve() }
})

/** Makes the secrets of a distributed hub and exits. */
import { run } from '@causeway/process'
import { makeSecrets } from './make-secrets.ts'
import { secretsSettings } from './settings.ts'

await run('secrets', secretsSettings, async (values) => {
  await makeSecrets(values)
  process.stdout.write(`The secrets are in ${values.SECRETS_DIR}.\n`)
  return { stop: () => Promise.resolve() }
})

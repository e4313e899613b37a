/**
 * A DATA_DIR in which a hub has started once and opened its scheme. A test run makes it before the
 * first story, and each story begins with a copy: no story waits for a new PostgreSQL, its
 * migrations and keys.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { freePorts, newDataDir, startHub } from './hub-process.ts'
import { openScheme, operatorAt } from '../operator/operator.ts'

/** The variable of the stories' environment that names the folder. */
const templateVariable = 'CAUSEWAY_TEST_TEMPLATE'

export async function makeTemplate(): Promise<void> {
  const dataDir = await newDataDir()
  const hub = await startHub({ dataDir, settings: { LOG_LEVEL: 'warn', ...(await freePorts()) } })
  try {
    await openScheme(operatorAt(hub.urls.operator, hub.passwordFile))
  } finally {
    await hub.stop()
  }
  process.env[templateVariable] = dataDir
}

/** A folder of its own for one hub, whose scheme is open; the caller removes it. */
export async function copyTemplate(): Promise<string> {
  const template = process.env[templateVariable]
  if (template === undefined) throw new Error('Stories are run by `npm run test:e2e`')
  const dataDir = await newDataDir()
  // Owners and modes are copied: PostgreSQL refuses to start without them.
  await promisify(execFile)('cp', ['-a', `${template}/.`, dataDir])
  return dataDir
}

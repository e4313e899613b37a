/** The hub of a run in one process, on its own PostgreSQL and event log. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { newDataDir, removeDataDir, startHub } from '../hub/hub-process.ts'
import { openScheme, operatorAt } from '../operator/operator.ts'
import { postmasterOf } from '../hub/postgres.ts'
import { retryWhileBusy } from '../hub/apart.ts'
import { folderVariable, readCounts } from './against/counts.ts'
import { countStatements, openHubDatabase } from './database.ts'
import { hubSettings, type BenchOptions } from './options.ts'
import type { HubData, Hub } from './setup.ts'

const anyPorts = { FSP_PORT: '0', OPERATOR_PORT: '0', METRICS_PORT: '0' }

/**
 * @param flags flags of Node.js
 * @param hubData the data that the hub starts on; undefined: none, and its data is removed at the
 * end
 */
export async function openEmbedded(
  options: BenchOptions,
  flags: readonly string[],
  hubData: HubData | undefined,
): Promise<Hub> {
  const dataDir = hubData?.dataDir ?? (await newDataDir())
  const counts = join(dataDir, 'counts')
  const settings = { ...anyPorts, ...hubSettings(options), [folderVariable]: counts }
  const { checkout } = options
  const undo: (() => Promise<unknown>)[] = []
  if (hubData === undefined) undo.push(() => removeDataDir(dataDir))
  const close = async () => {
    for (let next = undo.pop(); next !== undefined; next = undo.pop()) await next()
  }
  try {
    const isNew = hubData?.isNew ?? true
    await mkdir(counts, { recursive: true })
    // PostgreSQL counts statements from its second start on.
    if (isNew) {
      const first = await startHub({ dataDir, settings, checkout })
      undo.push(() => first.stop())
      await countStatements(dataDir)
      await undo.pop()?.()
    }
    const hub = await startHub({ dataDir, settings, nodeFlags: flags, checkout })
    undo.push(() => hub.stop())
    const database = await openHubDatabase({ dataDir, database: 'causeway', bus: 'log' })
    undo.push(() => database.close())
    const { passwordFile } = hub
    const operator = retryWhileBusy(operatorAt(hub.urls.operator, passwordFile))
    if (isNew) await openScheme(operator)
    return {
      url: hub.urls.fsp,
      operatorUrl: hub.urls.operator,
      passwordFile,
      operator,
      database,
      pids: new Map([['hub', hub.pid]]),
      counts: () => readCounts(counts, [hub.pid]),
      records: () => Promise.resolve(NaN),
      postmaster: postmasterOf(dataDir).pid,
      broker: undefined,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

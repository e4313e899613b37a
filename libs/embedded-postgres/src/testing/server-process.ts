/**
 * A process that runs an embedded PostgreSQL until it is killed: `server-process.ts DATA_DIR`, followed by
 * `fsync` for a durable one, and by a number for more connections than usual.
 */
import { openLog, StartError } from '@causeway/process'
import { startServer } from '../server.ts'

try {
  await startServer({
    dataDir: process.argv[2] ?? '',
    durability: process.argv[3] === 'fsync' ? 'fsync' : 'none',
    ...(process.argv[4] === undefined ? {} : { connections_max: Number(process.argv[4]) }),
    log: openLog({ name: 'server', level: 'silent' }),
    onExit: (reason) => process.stdout.write(`ended: ${reason}\n`),
  })
  process.stdout.write('ready\n')
} catch (error) {
  if (!(error instanceof StartError)) throw error
  process.stdout.write(`refused: ${error.message}\n`)
}

/** Settings of the embedded PostgreSQL: durable, small, and on a socket only. */
import { socketPort } from '@causeway/postgres'

/** 'fsync': a commit survives a power loss. 'none': it survives a killed process only. */
export type Durability = 'fsync' | 'none'

const lasting = { fsync: 'on', full_page_writes: 'on' } as const
const fleeting = { fsync: 'off', full_page_writes: 'off' } as const

const settings = {
  listen_addresses: '',
  port: String(socketPort),
  unix_socket_permissions: '0700',
  // Even without fsync a commit has reached the operating system, so that a killed server loses none.
  synchronous_commit: 'on',
  // A backend whose client was killed does not first finish a long statement.
  client_connection_check_interval: '1s',
  shared_buffers: '128MB',
  effective_cache_size: '1GB',
  random_page_cost: '1.1',
  // No statement here benefits from parallel workers or JIT compilation.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  io_method: 'sync',
  // There is no replica; each start makes its own checkpoint.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  wal_buffers: '16MB',
  min_wal_size: '256MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  autovacuum: 'on',
  // Tables grow fast after a first start, and plans depend on current statistics.
  autovacuum_naptime: '10s',
  // Slowly: with 2ms it took 0.4 cores for two seconds, during which payments waited. It still cleans
  // 8 MB per second.
  autovacuum_vacuum_cost_delay: '10ms',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  // The log contains no statement, parameter or key: they contain payloads.
  log_line_prefix: '',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
} as const

/** Arguments of `postgres`; nothing is written into its configuration files. */
export function serverArguments(
  socketFolder: string,
  durability: Durability,
  connections_max = 100,
): readonly string[] {
  const all = {
    ...settings,
    max_connections: String(connections_max),
    ...(durability === 'none' ? fleeting : lasting),
    // The list is split at commas, but not inside double quotes.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

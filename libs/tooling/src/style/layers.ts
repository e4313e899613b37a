/** Which package may import which of this project; a service imports no other service. */

/** The packages that a process is made of. */
const libsOfProcess = [
  'bus',
  'grpc',
  'http',
  'postgres',
  'process',
  'runtime',
  'services',
  'tracing',
]
const libsOfServices = [
  'approvals',
  'credentials',
  'events',
  'fspiop',
  'keys',
  'live-settings',
  'money',
  'participants',
  'pki',
  'protos',
  'records',
  ...libsOfProcess,
]
const libsOf: Readonly<Record<string, readonly string[]>> = {
  money: [],
  fspiop: ['money', 'pki'],
  credentials: ['fspiop', 'pki'],
  process: [],
  fuzzing: [],
  tracing: [],
  http: ['process'],
  grpc: ['process'],
  postgres: ['process'],
  'embedded-postgres': ['postgres', 'process'],
  // Its tests start a server.
  bus: ['embedded-postgres', 'postgres', 'process'],
  archive: ['embedded-postgres', 'keys', 'postgres', 'process'],
  runtime: [
    'bus',
    'embedded-postgres',
    'grpc',
    'http',
    'postgres',
    'process',
    'protos',
    'services',
    'tracing',
  ],
  services: ['protos'],
  // Its tests start a process.
  approvals: ['events', 'fspiop', 'protos', ...libsOfProcess],
  events: ['bus', 'process', 'protos', 'runtime', 'services'],
  protos: [],
  pki: [],
  records: ['postgres', 'protos'],
  keys: ['bus', 'events', 'grpc', 'pki', 'postgres', 'process', 'protos', 'services'],
  'live-settings': ['bus', 'events', 'grpc', 'keys', 'money', 'process', 'protos', 'services'],
  participants: ['bus', 'events', 'grpc', 'process', 'protos'],
  fsp: ['credentials', 'fspiop', 'money'],
  // Its tests make certificates.
  certification: ['fsp', 'fspiop', 'pki'],
  ledger: ['events', 'fspiop', 'money', 'protos', 'records', ...libsOfProcess],
  'participant-lifecycle': [...libsOfServices, 'ledger'],
  'sandbox-fsp': ['fsp', 'fspiop', 'money', 'pki', ...libsOfProcess],
  // Stories know the hub over the wire; the rest starts what the hub runs on.
  'test-e2e': ['embedded-postgres', 'fsp', 'fspiop', 'money', 'pki', ...libsOfProcess],
}

/** They put the whole of the hub together, or write down what it is. */
const packagesOfTheWhole = new Set(['hub', 'simulation', 'tooling'])

export function mayImport(packageName: string, isService: boolean, name: string): boolean {
  if (name === packageName || packagesOfTheWhole.has(packageName)) return true
  return (libsOf[packageName] ?? (isService ? libsOfServices : [])).includes(name)
}

/** Settings that mean the same to several services. */
import { integer } from './settings.ts'

export const tlsRenewal = integer({
  about: 'how often files of certificates and keys are checked for changes',
  unit: 'ms',
  default: 60_000,
  min: 100,
  max: 86_400_000,
})

export const databaseConnections = integer({
  about:
    "connections of each process to the database of a service; participant-lifecycle's writer has one more",
  unit: 'connections',
  default: 4,
  min: 1,
  max: 100,
})

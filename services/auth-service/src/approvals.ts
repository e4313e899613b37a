/** The changes of this service that two operators make. A file of its own: their kinds are in two parts. */
import { approvalHandlers, openApprovals } from '@causeway/approvals'
import type { ProcessParts } from '@causeway/runtime'
import { operationKind } from './access/operations/kind.ts'
import { personsFault } from './access/operators/persons.ts'
import { adapterKind, type Adapters } from './cryptography/adapters.ts'
import { monthErasureKind, personErasureKind } from './cryptography/erasures/kinds.ts'
import { day_ms, hour_ms, type OwnParts } from './own-parts.ts'

export function serveOwnApprovals(
  { settings, db, bus }: OwnParts,
  providers: Adapters,
  owners: ProcessParts['approvals'],
): void {
  const life_ms = settings.APPROVAL_LIFE_H * hour_ms
  const apart_ms = settings.AUTH_SERVICE_FOUR_EYES_APART_D * day_ms
  const approvals = openApprovals({
    source: 'auth-service',
    db,
    bus,
    life_ms,
    kinds: {
      Operation: operationKind,
      CryptoAdapter: adapterKind(providers),
      MonthErasure: monthErasureKind(settings.AUTH_SERVICE_MONTH_RETENTION),
      PersonErasure: personErasureKind,
    },
    persons: { within: (tx, question) => personsFault(tx, question, apart_ms) },
  })
  owners.add('auth-service', approvalHandlers({ approvals, db, life_ms }))
}

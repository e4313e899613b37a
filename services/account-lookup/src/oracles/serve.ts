/** The administration of oracles over gRPC. */
import type { Handlers } from '@causeway/grpc'
import type { Oracle as OracleMessage, oraclesService } from '@causeway/protos'
import { readType } from '../domain/party.ts'
import { decideOracle, type Oracle, type Proposal, type Refused } from './domain/oracle.ts'
import type { OracleStore, Stored } from './store.ts'

export interface OracleServiceParts {
  readonly store: OracleStore
  /** Called before the caller gets its answer. */
  readonly onChanged: () => void
}

export function oracleHandlers({
  store,
  onChanged,
}: OracleServiceParts): Handlers<typeof oraclesService> {
  const answer = (stored: Stored) => {
    if (stored.type === 'REFUSE') return refusedWith(stored)
    onChanged()
    return { oracle: messageOf(stored.oracle), refusal: null, result: 'oracle' as const }
  }
  return {
    async ListOracles({ oracleIdType, currency }) {
      const type = readType(oracleIdType)
      const oracles = (await store.all())
        .filter((oracle) => oracleIdType === '' || oracle.oracleIdType === type)
        .filter((oracle) => currency === '' || oracle.currency === currency)
      return { oracles: oracles.map(messageOf) }
    },
    async CreateOracle({ actor = '', ...proposal }) {
      const decision = decideOracle(proposal)
      if (decision.type === 'REFUSE') return refusedWith(decision)
      return answer(await store.create(decision.draft, { actor, at: new Date() }))
    },
    async UpdateOracle({ oracleId, actor = '', ...patch }) {
      const change = (stored: Proposal) => decideOracle(patched(stored, patch))
      return answer(await store.update(oracleId, change, { actor, at: new Date() }))
    },
    RemoveOracle: async ({ oracleId, actor = '' }) =>
      answer(await store.remove(oracleId, { actor, at: new Date() })),
  }
}

type Patch = { readonly [Key in keyof Proposal]?: Proposal[Key] }

/** Members that the patch leaves out are unchanged. */
function patched(stored: Proposal, patch: Patch): Proposal {
  return {
    oracleIdType: patch.oracleIdType ?? stored.oracleIdType,
    endpointValue: patch.endpointValue ?? stored.endpointValue,
    endpointType: patch.endpointType ?? stored.endpointType,
    currency: patch.currency ?? stored.currency,
    isDefault: patch.isDefault ?? stored.isDefault,
  }
}

function messageOf({ id, ...oracle }: Oracle): OracleMessage {
  return { oracleId: id, ...oracle }
}

function refusedWith({ reason, detail }: Refused) {
  return { oracle: null, refusal: { reason, detail }, result: 'refusal' as const }
}

/** The administration of oracles over gRPC. */
import type { Handlers } from '@causeway/grpc'
import type { Egress } from '@causeway/http'
import type { Oracle as OracleMessage, oraclesService } from '@causeway/protos'
import { refuse } from '@causeway/services'
import { readType } from '../domain/party.ts'
import {
  builtInEndpoint,
  decideOracle,
  type Oracle,
  type Proposal,
  type RefusedOracle,
} from './domain/oracle.ts'
import type { OracleStore, StoredOracle } from './store.ts'
import { anyCurrency } from '../domain/match.ts'

export interface OracleServiceParts {
  readonly store: OracleStore
  /** Called before the caller gets its answer. */
  readonly onChanged: () => void
  /** Where oracles may be. */
  readonly egress: Egress
}

export function oracleHandlers({
  store,
  onChanged,
  egress,
}: OracleServiceParts): Handlers<typeof oraclesService> {
  const answer = (stored: StoredOracle) => {
    if (stored.type === 'REFUSE') return refusedWith(stored)
    onChanged()
    return { oracle: messageOf(stored.oracle), refusal: null, result: 'oracle' as const }
  }
  return {
    async ListOracles({ oracleIdType, currency }) {
      const type = oracleIdType === undefined ? undefined : readType(oracleIdType)
      const oracles = (await store.all())
        .filter((oracle) => oracleIdType === undefined || oracle.oracleIdType === type)
        .filter((oracle) => currency === undefined || oracle.currency === currency)
      return { oracles: oracles.map(messageOf) }
    },
    async CreateOracle({ actor = '', currency = anyCurrency, ...rest }) {
      const proposal = { ...rest, currency }
      const decision = decideOracle(proposal)
      if (decision.type === 'REFUSE') return refusedWith(decision)
      const denied = await deniedEndpoint(egress, proposal.endpointValue)
      if (denied !== undefined) return refusedWith(denied)
      return answer(await store.create(decision.draft, { actor, at: new Date() }))
    },
    async UpdateOracle({ oracleId, actor = '', ...patch }) {
      const denied = await deniedEndpoint(egress, patch.endpointValue)
      if (denied !== undefined) return refusedWith(denied)
      const change = (stored: Proposal) => decideOracle(patched(stored, patch))
      return answer(await store.update(oracleId, change, { actor, at: new Date() }))
    },
    RemoveOracle: async ({ oracleId, actor = '' }) =>
      answer(await store.remove(oracleId, { actor, at: new Date() })),
  }
}

/** Text that is no address of a server is judged by the rules of oracles. */
async function deniedEndpoint(
  egress: Egress,
  value: string | undefined,
): Promise<RefusedOracle | undefined> {
  if (value === undefined || value === builtInEndpoint || !URL.canParse(value)) return undefined
  const fault = await egress.faultNow(new URL(value))
  return fault === undefined ? undefined : refuse('INVALID', `endpoint.value: ${fault}`)
}

type Patch = { readonly [Key in keyof Proposal]?: Proposal[Key] | undefined }

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

function messageOf({ id, currency, ...oracle }: Oracle): OracleMessage {
  return { oracleId: id, ...oracle, ...(currency === anyCurrency ? {} : { currency }) }
}

function refusedWith({ reason, detail }: RefusedOracle) {
  return { oracle: null, refusal: { reason, detail }, result: 'refusal' as const }
}

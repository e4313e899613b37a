/**
 * The providers of this process. A key stays with the provider that made it; new ones are made by the
 * provider that an operator chose, or that CRYPTO_PROVIDER names.
 */
import type { ChangeKind } from '@causeway/approvals'
import {
  adapters,
  openNodeProvider,
  openPkcs11Provider,
  type Adapter,
  type CryptoProvider,
  type CryptoSettings,
  type Seal,
  type Token,
} from '@causeway/keys/provider'
import type { Queries } from '@causeway/postgres'
import { approvalKinds } from '@causeway/services'
import { z } from 'zod'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { chosenAdapter, saveAdapter, type ChosenAdapter } from './store.ts'

export interface AdapterState {
  readonly active: Adapter
  readonly available: readonly Adapter[]
  /** Undefined: as the settings have it. */
  readonly chosen: ChosenAdapter | undefined
}

export interface Adapters {
  /** Undefined: this process has no such provider. */
  of(adapter: Adapter): CryptoProvider | undefined
  /** The provider of new keys. */
  active(db: Queries): Promise<CryptoProvider | RefusedCommand>
  state(db: Queries): Promise<AdapterState>
}

export interface AdapterParts {
  readonly seal: Seal
  readonly token: Token | undefined
  readonly initial: CryptoSettings['CRYPTO_PROVIDER']
}

export function openAdapters({ seal, token, initial }: AdapterParts): Adapters {
  const providers: Readonly<Partial<Record<Adapter, CryptoProvider>>> = {
    NODE: openNodeProvider(seal),
    ...(token === undefined ? {} : { PKCS11: openPkcs11Provider(token) }),
  }
  const state = async (db: Queries): Promise<AdapterState> => {
    const chosen = await chosenAdapter(db)
    return {
      active: chosen?.adapter ?? (initial === 'node' ? 'NODE' : 'PKCS11'),
      available: adapters.filter((each) => providers[each] !== undefined),
      chosen,
    }
  }
  return {
    of: (adapter) => providers[adapter],
    async active(db) {
      const { active } = await state(db)
      return providers[active] ?? unavailable(active)
    },
    state,
  }
}

export function unavailable(adapter: Adapter): RefusedCommand {
  return refuse('ADAPTER_UNAVAILABLE', `this process has no adapter ${adapter}`)
}

const content = z.strictObject({
  adapter: z.enum(adapters, { error: `must be ${adapters.join(' or ')}` }),
})

/** Where new keys are made, which two persons decide. */
export function adapterKind(providers: Adapters): ChangeKind<z.infer<typeof content>> {
  return {
    actions: { request: 'SetCryptoAdapter', decide: 'ApproveCryptoAdapter' },
    content,
    privilegeOf: () => approvalKinds.CryptoAdapter.privilege,
    subjectOf: () => 'crypto-adapter',
    auditedOf: ({ adapter }) => ({ adapter }),
    turnOf: () => 'crypto-adapter',
    async apply(tx, { adapter }, { createdBy: changedBy, now: changedAt }) {
      if (providers.of(adapter) === undefined) return unavailable(adapter)
      const before = { adapter: (await providers.state(tx)).active }
      await saveAdapter(tx, { adapter, changedAt, changedBy })
      return { type: 'DONE', before, after: { adapter }, replaces: before }
    },
  }
}

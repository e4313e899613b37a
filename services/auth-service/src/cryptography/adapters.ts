/**
 * The providers of this process. A key stays with the provider that made it; new ones are made by the
 * provider that an operator chose, or that CRYPTO_PROVIDER names.
 */
import type { EventBus } from '@causeway/bus'
import {
  adapters,
  openNodeProvider,
  openPkcs11Provider,
  type Adapter,
  type CryptoProvider,
  type CryptoSettings,
  type Seal,
  type Token,
} from '@causeway/crypto-provider'
import type { Database, Queries } from '@causeway/postgres'
import { lockParticipant } from '../participant-lock.ts'
import { refuse, type Refused } from '../domain/refusal.ts'
import { record } from '../record.ts'
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
  active(db: Queries): Promise<CryptoProvider | Refused>
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

export function unavailable(adapter: Adapter): Refused {
  return refuse('ADAPTER_UNAVAILABLE', `this process has no adapter ${adapter}`)
}

function isAdapter(text: string): text is Adapter {
  return (adapters as readonly string[]).includes(text)
}

export async function chooseAdapter(
  { db, bus, providers }: { readonly db: Database; readonly bus: EventBus; providers: Adapters },
  adapter: string,
  actor: string,
): Promise<AdapterState | Refused> {
  if (!isAdapter(adapter)) return refuse('INVALID', `adapter must be ${adapters.join(' or ')}`)
  if (providers.of(adapter) === undefined) return unavailable(adapter)
  await db.transaction(async (tx) => {
    await lockParticipant(tx, 'crypto-adapter')
    const { active } = await providers.state(tx)
    if (active === adapter) return
    const now = new Date()
    await saveAdapter(tx, { adapter, changedAt: now, changedBy: actor })
    record(bus, tx, {
      actor,
      action: 'SetCryptoAdapter',
      subject: 'crypto-adapter',
      before: { adapter: active },
      after: { adapter },
      at: now,
    })
  })
  return providers.state(db)
}

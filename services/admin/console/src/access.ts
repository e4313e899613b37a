/** Whether the hub lets this browser in, as whom and to do what; a session about to end is gone on with. */
import { useQuery } from '@tanstack/react-query'
import { call, get, Refusal, session, type Session } from './api.ts'
import { grants } from './domain/privileges.ts'

export type Access =
  | { readonly state: 'OUT' }
  /** `name` is undefined where nobody is asked who he is. */
  | {
      readonly state: 'IN'
      readonly name: string | undefined
      readonly privileges: readonly string[]
    }

interface TokenState {
  readonly active: boolean
  readonly sub?: string
  readonly privileges?: readonly string[]
  readonly expiresAt?: string
}

const out: Access = { state: 'OUT' }
const refresh_before_ms = 120_000

export const accessQuery = { queryKey: ['access'], queryFn: readAccess, refetchInterval: 30_000 }

/** Who the operator is, and whether he may; nobody may anything until it is known. */
export function useOperator() {
  const access = useQuery(accessQuery).data
  const { name, privileges = [] } = access?.state === 'IN' ? access : { name: undefined }
  return { name, may: (privilege: string) => grants(privileges, privilege) }
}

async function readAccess(): Promise<Access> {
  const kept = session.current()
  if (kept === undefined) return withoutToken()
  // It allows nothing but to choose another password.
  if (kept.mustChangePassword) return out
  const state = await call<TokenState>('POST', '/iam-token-verifty', { token: kept.accessToken })
  if (!state.active) {
    session.end()
    return out
  }
  await goOn(kept, state.expiresAt)
  const { sub, privileges = [] } = state
  return { state: 'IN', name: sub?.replace(/^.*::/, ''), privileges }
}

/** Nobody is asked who he is, or everybody. */
async function withoutToken(): Promise<Access> {
  try {
    await get('/participants')
    return { state: 'IN', name: undefined, privileges: ['*'] }
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return out
    throw error
  }
}

async function goOn({ refreshToken }: Session, expiresAt = ''): Promise<void> {
  const left_ms = Date.parse(expiresAt) - Date.now()
  if (refreshToken === undefined || !(left_ms < refresh_before_ms)) return
  session.begin(await call<Session>('POST', '/app-token-refresh', { refreshToken }))
}

export async function logOut(): Promise<void> {
  // The session ends here even where the hub does not hear of it.
  await call('POST', '/app-logout').catch(() => undefined)
  session.end()
  window.location.reload()
}

/** Whether the hub lets this browser in, and as whom; a session that is about to end is gone on with. */
import { call, get, Refusal, session, type Session } from './api.ts'

export type Access =
  | { readonly state: 'OUT' }
  /** `name` is undefined where nobody is asked who he is. */
  | { readonly state: 'IN'; readonly name: string | undefined }

interface TokenState {
  readonly active: boolean
  readonly sub?: string
  readonly expiresAt?: string
}

const out: Access = { state: 'OUT' }
const refresh_before_ms = 120_000

export const accessQuery = { queryKey: ['access'], queryFn: readAccess, refetchInterval: 30_000 }

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
  return { state: 'IN', name: state.sub?.replace(/^.*::/, '') }
}

/** Nobody is asked who he is, or everybody. */
async function withoutToken(): Promise<Access> {
  try {
    await get('/participants')
    return { state: 'IN', name: undefined }
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

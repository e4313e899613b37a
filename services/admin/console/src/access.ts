/**
 * The log-in state of this browser: the operator, the privileges, and the renewal of a session
 * about to expire.
 */
import { grants } from '@causeway/services/privileges'
import { useQuery } from '@tanstack/react-query'
import { call, ApiRefusal, session } from './api.ts'
import type { Session } from './generated/operator-api.ts'

export type Access =
  | { readonly state: 'OUT' }
  /** `name` is undefined where the hub requires no log-in. */
  | {
      readonly state: 'IN'
      readonly name: string | undefined
      readonly privileges: readonly string[]
    }

const out: Access = { state: 'OUT' }
const refresh_before_ms = 120_000
/** The session of an operator who does nothing for so long is not renewed. */
const idle_ms = 780_000

let lastInput_ms = Date.now()
for (const type of ['pointerdown', 'keydown']) {
  window.addEventListener(type, () => (lastInput_ms = Date.now()), { capture: true, passive: true })
}

export const accessQuery = { queryKey: ['access'], queryFn: readAccess, refetchInterval: 30_000 }

/** The operator and the privileges; until they are known, nothing is permitted. */
export function useOperator() {
  const access = useQuery(accessQuery).data
  const { name, privileges = [] } = access?.state === 'IN' ? access : { name: undefined }
  return { name, may: (privilege: string) => grants(privileges, privilege) }
}

async function readAccess(): Promise<Access> {
  const stored = session.current()
  if (stored === undefined) return withoutToken()
  // The session permits only a change of password, or the registration of a key.
  if (stored.mustChangePassword || stored.mustRegisterKey) return out
  const state = await call('POST /iam-token-verifty', { body: { token: stored.accessToken } })
  if (!state.active) {
    session.end()
    return out
  }
  await goOn(stored, state.expiresAt)
  const { sub, privileges = [] } = state
  return { state: 'IN', name: sub?.replace(/^.*::/, ''), privileges }
}

/** Where no log-in is required, every caller is the operator. */
async function withoutToken(): Promise<Access> {
  try {
    await call('GET /participants')
    return { state: 'IN', name: undefined, privileges: ['*'] }
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 401) return out
    throw error
  }
}

async function goOn({ refreshToken }: Session, expiresAt = ''): Promise<void> {
  const left_ms = Date.parse(expiresAt) - Date.now()
  if (refreshToken === undefined || !(left_ms < refresh_before_ms)) return
  if (Date.now() - lastInput_ms > idle_ms) return
  session.begin(await call('POST /app-token-refresh', { body: { refreshToken } }))
}

export async function logOut(): Promise<void> {
  // The session ends in this browser even when the hub cannot be reached.
  await call('POST /app-logout').catch(() => undefined)
  session.end()
  window.location.reload()
}

/**
 * Log in with name and password, then with a security key where one is registered, or with such a
 * key alone. An initial password must be changed first; some operators must register a key.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, session } from '../../api.ts'
import { ActionButton, ChangeForm, type FormValues } from '../../change.tsx'
import type { KeyChallenge, Session } from '../../generated/operator-api.ts'
import { keyFault, logInWithKey } from '../../security-key.ts'
import { KeyForm } from './security-keys.tsx'

type LogInStep =
  | { readonly type: 'NAMES' }
  | { readonly type: 'PASSWORD'; readonly id: string }
  | { readonly type: 'KEY'; readonly id: string; readonly challenge: KeyChallenge }
  | { readonly type: 'REGISTER'; readonly id: string }
  | { readonly type: 'REGISTERED' }

export function LogIn() {
  const [step, setStep] = useState<LogInStep>({ type: 'NAMES' })
  const goOn = useGoOn(setStep)
  return (
    <main className="log-in">
      <title>Log in – Causeway</title>
      <h1>Causeway</h1>
      {(step.type === 'NAMES' || step.type === 'REGISTERED') && (
        <Names goOn={goOn} isRegistered={step.type === 'REGISTERED'} />
      )}
      {step.type === 'PASSWORD' && <ChangePassword id={step.id} goOn={goOn} />}
      {step.type === 'KEY' && (
        <>
          <p>Now use your security key.</p>
          <ActionButton
            label="Use security key"
            kind="primary"
            run={async () => goOn(await logInWithKey(step.challenge), step.id)}
          />
          <button type="button" onClick={() => setStep({ type: 'NAMES' })}>
            Start again
          </button>
        </>
      )}
      {step.type === 'REGISTER' && (
        <>
          <p>Your roles approve requests: register a security key, then log in with it.</p>
          <KeyForm
            operator={step.id}
            done={() => {
              session.end()
              setStep({ type: 'REGISTERED' })
            }}
          />
        </>
      )}
    </main>
  )
}

/** What comes after an answer to a log-in; `id` is empty where no name was given. */
type GoOn = (opened: Session | KeyChallenge, id: string) => Promise<void>

/** Fetches all data again when the session exists. */
function useGoOn(setStep: (step: LogInStep) => void): GoOn {
  const client = useQueryClient()
  return async (opened, id) => {
    if (!('accessToken' in opened)) return setStep({ type: 'KEY', id, challenge: opened })
    session.begin(opened)
    if (opened.mustChangePassword) {
      return setStep({ type: 'PASSWORD', id: id || (await ownerOf(opened)) })
    }
    if (opened.mustRegisterKey) return setStep({ type: 'REGISTER', id })
    await client.invalidateQueries()
  }
}

async function ownerOf({ accessToken }: Session): Promise<string> {
  const { sub = '' } = await call('POST /iam-token-verifty', { body: { token: accessToken } })
  return sub.replace(/^.*::/, '')
}

function Names({ goOn, isRegistered }: { goOn: GoOn; isRegistered: boolean }) {
  const logIn = async ({ id, secret }: FormValues<'id' | 'secret'>) =>
    goOn(await call('POST /app-basic-auth', { body: { id, secret } }), id)
  const logInByKey = async () =>
    goOn(await logInWithKey(await call('POST /app-fido-log-in', { body: {} })), '')
  return (
    <>
      {isRegistered && <p role="status">Your key is registered. Log in with it.</p>}
      {!isRegistered && session.hasEnded() && (
        <p role="status">Your session has ended. Log in to go on.</p>
      )}
      <ChangeForm<'id' | 'secret'>
        fields={[
          { name: 'id', label: 'Name', autoComplete: 'username' },
          {
            name: 'secret',
            label: 'Password',
            type: 'password',
            autoComplete: 'current-password',
          },
        ]}
        ways={[{ label: 'Log in', run: logIn }]}
        quiet
      />
      <OpenId goOn={goOn} />
      {keyFault() === undefined && <ActionButton label="Use a passkey instead" run={logInByKey} />}
    </>
  )
}

const stateKey = 'causeway-oidc-state'

/** Where the hub has an OpenID provider: goes there, and ends the log-in when it sends the browser back. */
function OpenId({ goOn }: { goOn: GoOn }) {
  const kinds = useQuery({ queryKey: ['log-ins'], queryFn: () => call('GET /app-log-ins') }).data
  const [callback] = useState(() => window.location.href)
  const end = useQuery({
    queryKey: ['oidc', callback],
    enabled: new URL(callback).searchParams.has('state'),
    retry: false,
    queryFn: async () => {
      const state = sessionStorage.getItem(stateKey) ?? '-'
      sessionStorage.removeItem(stateKey)
      window.history.replaceState(null, '', window.location.pathname)
      const opened = await call('POST /app-oidc-log-in', { body: { callback, state } })
      if (!('authorizationUrl' in opened)) await goOn(opened, '')
      return true
    },
  })
  const begin = async () => {
    const begun = await call('POST /app-oidc-log-in', { body: {} })
    if (!('authorizationUrl' in begun)) return
    sessionStorage.setItem(stateKey, begun.state)
    window.location.assign(begun.authorizationUrl)
  }
  if (kinds?.oidc !== true) return null
  return (
    <>
      {end.error !== null && (
        <p role="alert" className="problem">
          {end.error.message}
        </p>
      )}
      <ActionButton label="Log in with your organisation" run={begin} />
    </>
  )
}

type Passwords = 'secret' | 'newSecret'

function ChangePassword({ id, goOn }: { id: string; goOn: GoOn }) {
  const change = async (passwords: FormValues<Passwords>) => {
    await call('POST /app-change-secret', { body: { id, ...passwords } })
    const secret = passwords.newSecret
    await goOn(await call('POST /app-basic-auth', { body: { id, secret } }), id)
  }
  return (
    <>
      <p>
        This password was assigned to you. Choose your own, with at least 12 characters and without
        your name.
      </p>
      <ChangeForm<Passwords>
        fields={[
          {
            name: 'secret',
            label: 'Current password',
            type: 'password',
            autoComplete: 'current-password',
          },
          {
            name: 'newSecret',
            label: 'New password',
            type: 'password',
            autoComplete: 'new-password',
          },
        ]}
        ways={[{ label: 'Change password', run: change }]}
        quiet
      />
    </>
  )
}

/** Log in with name and password; an initial password must be changed first. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, session } from '../api.ts'
import { ChangeForm, type Values } from '../change.tsx'
import type { Session } from '../generated/operator-api.ts'

export function LogIn() {
  const [mustChange, setMustChange] = useState<string>()
  return (
    <main className="log-in">
      <title>Log in – Causeway</title>
      <h1>Causeway</h1>
      {mustChange === undefined ? (
        <Names onFirst={setMustChange} />
      ) : (
        <ChangePassword id={mustChange} />
      )}
    </main>
  )
}

/** Fetches all data again when the session exists. */
function useEnter() {
  const client = useQueryClient()
  return async (opened: Session) => {
    session.begin(opened)
    await client.invalidateQueries()
  }
}

function Names({ onFirst }: { onFirst: (id: string) => void }) {
  const enter = useEnter()
  const logIn = async ({ id, secret }: Values<'id' | 'secret'>) => {
    const opened = await call('POST /app-basic-auth', { body: { id, secret } })
    if (!opened.mustChangePassword) return enter(opened)
    session.begin(opened)
    onFirst(id)
  }
  return (
    <>
      {session.hasEnded() && <p role="status">Your session has ended. Log in to go on.</p>}
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
    </>
  )
}

type Passwords = 'secret' | 'newSecret'

function ChangePassword({ id }: { id: string }) {
  const enter = useEnter()
  const change = async (passwords: Values<Passwords>) => {
    await call('POST /app-change-secret', { body: { id, ...passwords } })
    const secret = passwords.newSecret
    await enter(await call('POST /app-basic-auth', { body: { id, secret } }))
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

/** Log in with name and password; a first password must be changed before anything else. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, session } from '../api.ts'
import { ChangeForm, type Values } from '../ui.tsx'

interface Session {
  readonly accessToken: string
  readonly mustChangePassword?: boolean
}

export function LogIn() {
  const [mustChange, setMustChange] = useState<string>()
  const client = useQueryClient()
  const enter = ({ accessToken }: Session) => {
    session.begin(accessToken)
    return client.invalidateQueries()
  }
  const logIn = async ({ id, secret }: Values<'id' | 'secret'>) => {
    const opened = await call<Session>('POST', '/app-basic-auth', { id, secret })
    if (opened.mustChangePassword === true) {
      session.begin(opened.accessToken)
      setMustChange(id)
    } else {
      await enter(opened)
    }
  }
  return (
    <main className="log-in">
      <title>Log in – Causeway</title>
      <h1>Causeway</h1>
      {mustChange === undefined ? (
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
          submit="Log in"
          run={logIn}
          done=""
        />
      ) : (
        <ChangePassword id={mustChange} enter={enter} />
      )}
    </main>
  )
}

function ChangePassword({
  id,
  enter,
}: {
  id: string
  enter: (opened: Session) => Promise<unknown>
}) {
  const change = async ({ secret, newSecret }: Values<'secret' | 'newSecret'>) => {
    await call('POST', '/app-change-secret', { id, secret, newSecret })
    await enter(await call<Session>('POST', '/app-basic-auth', { id, secret: newSecret }))
  }
  return (
    <>
      <p>Your password is one that somebody gave you. Choose one of your own.</p>
      <ChangeForm<'secret' | 'newSecret'>
        fields={[
          {
            name: 'secret',
            label: 'Present password',
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
        submit="Change password"
        run={change}
        done=""
      />
    </>
  )
}

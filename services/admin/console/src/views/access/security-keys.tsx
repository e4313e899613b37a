/** The operator's own security keys (list, register, remove) and sessions. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton, ChangeForm } from '../../change.tsx'
import { keyFault, registerKey } from '../../security-key.ts'
import { Card, Loaded, Page, Table, Time } from '../../ui.tsx'
import { OwnSessions } from './sessions.tsx'

export function SecurityKeys() {
  const { name } = useOperator()
  return (
    <Page title="Security keys and sessions">
      {name === undefined ? (
        <p>This hub requires no log-in, so no operator has a security key or a session.</p>
      ) : (
        <>
          <Keys operator={name} />
          <OwnSessions />
        </>
      )}
    </Page>
  )
}

function Keys({ operator }: { operator: string }) {
  const keys = useQuery({ queryKey: ['own-keys'], queryFn: () => call('GET /app-fido-keys') })
  return (
    <>
      <Card title={`Keys of ${operator}`}>
        <Loaded query={keys}>
          {(all) => (
            <Table
              caption="Security keys, oldest first"
              head={['Name', 'Logs in', 'Registered', 'Last used', 'Next']}
              empty="No security key: you log in with your password alone."
              rows={all.map((key) => ({
                key: key.credentialId,
                cells: [
                  key.name,
                  key.verifiesUser ? 'alone, or after the password' : 'after the password',
                  <Time key="registered" at={key.createdDate} />,
                  <Time key="used" at={key.lastUsedDate} />,
                  <RemoveKey key="next" id={key.credentialId} name={key.name} />,
                ],
              }))}
            />
          )}
        </Loaded>
      </Card>
      <Card title="Register a key">
        <p>
          From then on the hub asks for one of your keys after your password. Register a second one,
          so that you can log in when you lose the first.
        </p>
        <KeyForm operator={operator} />
      </Card>
    </>
  )
}

/** Asks the browser for a key, and registers it under a name. */
export function KeyForm({ operator, done }: { operator: string; done?: () => void }) {
  const fault = keyFault()
  if (fault !== undefined) return <p>{fault}</p>
  return (
    <ChangeForm<'name'>
      fields={[{ name: 'name', label: 'Name of the key', hint: 'for you, to recognize it' }]}
      ways={[
        {
          label: 'Register key',
          run: async ({ name }) => {
            await registerKey(operator, name)
            done?.()
          },
          done: 'The key is registered.',
        },
      ]}
    />
  )
}

function RemoveKey({ id, name }: { id: string; name: string }) {
  return (
    <AskButton
      label="Remove"
      of={name}
      kind="danger"
      title={`Remove the key ${name}?`}
      text={<p>You cannot log in with it any more.</p>}
      way={{
        label: 'Remove key',
        isDangerous: true,
        run: () => call('DELETE /app-fido-keys/{credentialId}', { credentialId: id }),
      }}
    />
  )
}

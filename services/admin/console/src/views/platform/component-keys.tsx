/** The keys with which components sign in their own name: whose, since when, and how long. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton } from '../../change.tsx'
import type { ComponentKey } from '../../generated/operator-api.ts'
import { Card, Loaded, Page, State, Table, Time } from '../../ui.tsx'

export function ComponentKeys() {
  const { may } = useOperator()
  const all = useQuery({ queryKey: ['component-keys'], queryFn: () => call('GET /component-keys') })
  const mayRevoke = may('MANAGE_COMPONENT_KEYS')
  return (
    <Page title="Component keys">
      <p>
        A service registers its key when it starts, a program of the operator with its own log-in.
        To replace a key, let the component register the next one, then revoke the old one.
      </p>
      <Card title="Keys of components">
        <Loaded query={all}>
          {(keys) => (
            <Table
              caption="The newest first, revoked ones too"
              head={[
                'Component',
                'Key id',
                'Valid from',
                'Valid until',
                'State',
                'Revoked by',
                ...(mayRevoke ? ['Next'] : []),
              ]}
              empty="No component has registered a key."
              rows={keys.map((key) => ({
                key: key.kid,
                cells: [
                  key.boundedContextId,
                  <code key="kid" className="long">
                    {key.kid}
                  </code>,
                  <Time key="from" at={key.registeredDate} />,
                  key.revokedDate === null ? 'no end' : <Time key="until" at={key.revokedDate} />,
                  <State key="state" state={key.revokedDate === null ? 'VALID' : 'REVOKED'} />,
                  key.revokedBy,
                  ...(mayRevoke
                    ? [key.revokedDate === null && <Revoke key="next" of={key} />]
                    : []),
                ],
              }))}
            />
          )}
        </Loaded>
      </Card>
    </Page>
  )
}

function Revoke({ of: { kid, boundedContextId } }: { of: ComponentKey }) {
  return (
    <AskButton
      label="Revoke"
      of={`the key of ${boundedContextId}`}
      kind="danger"
      title={`Revoke a key of ${boundedContextId}?`}
      text={
        <p>
          What {boundedContextId} signs with <code className="long">{kid}</code> from now on is
          refused. The key is never registered again.
        </p>
      }
      way={{
        label: 'Revoke key',
        isDangerous: true,
        run: () => call('DELETE /component-keys/{kid}', { kid }),
      }}
    />
  )
}

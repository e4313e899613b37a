/** Secrets of components: whether and when each was set, never a value. Another operator approves. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton } from '../../change.tsx'
import type { SecretSet } from '../../generated/operator-api.ts'
import { Card, Loaded, Table, Time } from '../../ui.tsx'

export function Secrets() {
  const all = useQuery({ queryKey: ['secrets'], queryFn: () => call('GET /config/secrets') })
  return (
    <Loaded query={all}>
      {(sets) =>
        sets.map((set) => (
          <Card key={set.boundedContextId} title={`Secrets of ${set.boundedContextId}`}>
            <Names set={set} />
          </Card>
        ))
      }
    </Loaded>
  )
}

function Names({ set }: { set: SecretSet }) {
  const { may } = useOperator()
  const mayChange = may('CREATE_SECRET_VALUES')
  return (
    <Table
      caption={`Version ${set.version}, changed ${set.iterationNumber} times`}
      head={[
        'Name',
        'What it is for',
        'State',
        'Last changed',
        'By',
        ...(mayChange ? ['Next'] : []),
      ]}
      empty="There are no secrets."
      rows={set.keys.map((secret) => ({
        key: secret.name,
        cells: [
          secret.name,
          secret.description,
          secret.isSet ? 'set' : secret.required ? 'missing' : 'not set',
          secret.lastChanged === null ? 'never' : <Time key="when" at={secret.lastChanged} />,
          secret.lastChangedBy ?? '',
          ...(mayChange ? [<Change key="change" set={set} secret={secret} />] : []),
        ],
      }))}
    />
  )
}

function Change({ set, secret }: { set: SecretSet; secret: SecretSet['keys'][number] }) {
  const { name, description, isSet } = secret
  const done = 'Submitted. Another operator finds it under Approvals.'
  return (
    <>
      <AskButton
        label="Set"
        of={name}
        title={`Set ${name}?`}
        text={<p>{description} It cannot be shown again.</p>}
        fields={[
          { name: 'value', label: 'New value', type: 'password', autoComplete: 'off' } as const,
        ]}
        way={{
          label: 'Submit for approval',
          run: (values, id) => request(set, id, name, values.value),
          done,
        }}
      />
      {isSet && (
        <AskButton
          label="Remove"
          of={name}
          title={`Remove ${name}?`}
          text={<p>The value of the deployment applies again, where there is one.</p>}
          way={{
            label: 'Submit for approval',
            run: (_, id) => request(set, id, name, null),
            done,
          }}
        />
      )}
    </>
  )
}

function request(
  { boundedContextId }: SecretSet,
  requestId: string,
  name: string,
  value: string | null,
) {
  return call('POST /config/secrets/{boundedContextId}', {
    boundedContextId,
    body: { requestId, newValues: [{ name, value }] },
  })
}

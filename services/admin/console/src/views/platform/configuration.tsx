/** What components can be set to while they run. A change is made when another operator approves it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton } from '../../change.tsx'
import { valueOf, valueText, type ConfiguredValue } from '../../domain/configuration.ts'
import type { ConfigurationSet } from '../../generated/operator-api.ts'
import { Card, Loaded, Page, Table } from '../../ui.tsx'
import { Secrets } from './secrets.tsx'

export function Configuration() {
  const { may } = useOperator()
  const all = useQuery({
    queryKey: ['configuration'],
    queryFn: () => call('GET /config/schemas'),
  })
  return (
    <Page title="Configuration">
      <p>
        These values apply without a restart. Another operator must approve a change; the default is
        that of the deployment.
      </p>
      {may('VIEW_ERASURES') && (
        <p>
          <Link href="/erasures">Erasure of months and persons</Link>
        </p>
      )}
      <Loaded query={all}>
        {(sets) => (
          <>
            {sets.length === 0 && <p>No component has registered anything.</p>}
            {sets.map((set) => (
              <Card key={set.boundedContextId} title={set.boundedContextId}>
                <Values set={set} />
              </Card>
            ))}
          </>
        )}
      </Loaded>
      <Secrets />
    </Page>
  )
}

function Values({ set }: { set: ConfigurationSet }) {
  const { may } = useOperator()
  const flags = set.featureFlags.map((flag) => ({ ...flag, type: 'BOOL' }) as const)
  const values: readonly ConfiguredValue[] = [...set.parameters, ...flags]
  const mayChange = may('CREATE_CONFIGURATION_VALUES')
  return (
    <Table
      caption={`Schema ${set.schemaVersion}, changed ${set.iterationNumber} times`}
      head={['Name', 'What it is for', 'Value', 'Default', ...(mayChange ? ['Next'] : [])]}
      empty="Nothing can be set."
      rows={values.map((value) => ({
        key: value.name,
        cells: [
          value.name,
          value.description,
          value.isSet ? (
            <strong key="value" className="long">
              {valueText(value.currentValue)}
            </strong>
          ) : (
            'default'
          ),
          <span key="default" className="long">
            {valueText(value.defaultValue)}
          </span>,
          ...(mayChange ? [<Change key="change" set={set} value={value} />] : []),
        ],
      }))}
    />
  )
}

function Change({ set, value }: { set: ConfigurationSet; value: ConfiguredValue }) {
  const { name, type, currentValue, isSet } = value
  const initial = valueText(currentValue)
  const field = {
    name: 'value',
    label: 'New value',
    initial,
    ...(type === 'BOOL' ? { options: ['on', 'off'] } : {}),
    ...(type === 'LIST' || type === 'OBJECT' ? { isLong: true } : {}),
  } as const
  const done = 'Submitted. Another operator finds it under Approvals.'
  return (
    <>
      <AskButton
        label="Change"
        of={name}
        title={`Change ${name}?`}
        text={<p>{value.description}</p>}
        fields={[field]}
        way={{
          label: 'Submit for approval',
          run: (values, id) => request(set, id, name, valueOf(type, values.value)),
          done,
        }}
      />
      {isSet && (
        <AskButton
          label="Back to the default"
          of={name}
          title={`Set ${name} back?`}
          text={<p>The default is {valueText(value.defaultValue)}.</p>}
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

function request(set: ConfigurationSet, requestId: string, name: string, value: unknown) {
  const { boundedContextId, schemaVersion, iterationNumber } = set
  const newValues = [{ name, value }]
  return call('POST /config/schemas/{boundedContextId}', {
    boundedContextId,
    body: { requestId, schemaVersion, iterationNumber, newValues },
  })
}

/**
 * One participant: its readiness, its accounts, and links to everything that an operator may
 * change.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, Route, Switch, useLocation } from 'wouter'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton } from '../../change.tsx'
import { participantPath } from '../../domain/address.ts'
import { searchPath } from '../../search.tsx'
import { Card, Loaded, Money, Page, State, Table } from '../../ui.tsx'
import { AlarmTable, alarmsQuery } from './alarms.tsx'
import { Certifications } from './certifications.tsx'
import { Files } from '../settlements/files.tsx'
import { Funds } from './funds.tsx'
import { Keys } from './keys.tsx'
import { balancesQuery, Bars, Legend, readinessQuery, useParticipants } from '../participants.tsx'
import { ParticipantSettings } from './participant-settings.tsx'

export function ParticipantPage({ name }: { name: string }) {
  const info = useQuery({
    queryKey: ['info', name],
    queryFn: () => call('GET /GetParticipantInfo', { participantId: name }),
  })
  return (
    <Page title={name}>
      <Loaded query={info}>
        {({ state, isActive }) => (
          <>
            <div className="line">
              <State state={isActive === 1 ? 'ACTIVE' : 'INACTIVE'} />
              {state !== 'ACTIVE' && state !== 'INACTIVE' && <small>{state}</small>}
              <StateButton name={name} isActive={isActive === 1} />
            </div>
            <Ways name={name} />
            <Switch>
              <Route path="/participants/:name">
                <Summary name={name} />
              </Route>
              <Route path="/participants/:name/funds">
                <Funds name={name} />
              </Route>
              <Route path="/participants/:name/settings">
                <ParticipantSettings name={name} />
              </Route>
              <Route path="/participants/:name/keys">
                <Keys name={name} />
              </Route>
              <Route path="/participants/:name/files">
                <Files name={name} />
              </Route>
              <Route path="/participants/:name/certifications">
                <Certifications name={name} />
              </Route>
            </Switch>
          </>
        )}
      </Loaded>
    </Page>
  )
}

const parts = [
  ['', 'Summary'],
  ['/funds', 'Funds'],
  ['/settings', 'Limits and addresses'],
  ['/keys', 'Keys and certificates'],
  ['/files', 'Reconciliation'],
  ['/certifications', 'Certification'],
] as const

function Ways({ name }: { name: string }) {
  const [location] = useLocation()
  return (
    <nav className="parts" aria-label={`Of ${name}`}>
      <ul>
        {parts.map(([rest, label]) => {
          const path = participantPath(name, rest)
          return (
            <li key={path}>
              <Link href={path} aria-current={location === path ? 'page' : undefined}>
                {label}
              </Link>
            </li>
          )
        })}
        <li>
          <Link href={searchPath('/payments', { fspId: name })}>Payments</Link>
        </li>
        <li>
          <Link href={searchPath('/audit', { subject: `participants/${name}` })}>Audit</Link>
        </li>
      </ul>
    </nav>
  )
}

/** At once with the privilege, else as a request for approval. */
function StateButton({ name, isActive }: { name: string; isActive: boolean }) {
  const { may } = useOperator()
  const label = isActive ? 'Disable' : 'Enable'
  const kind = isActive ? 'danger' : ''
  const what = isActive
    ? `${name} can no longer start payments. Reserved transfers are completed.`
    : `${name} can pay and be paid.`
  if (may('MANAGE_PARTICIPANTS')) {
    return (
      <AskButton
        label={label}
        title={`${label} ${name}?`}
        kind={kind}
        text={<p>{what}</p>}
        way={{
          label: `${label} now`,
          run: () => call('PUT /participants/{name}', { name, body: { isActive: !isActive } }),
          isDangerous: isActive,
        }}
      />
    )
  }
  if (!may('CREATE_UPDATE_PARTICIPANT_STATE')) return null
  return (
    <AskButton
      label={`Request to ${label.toLowerCase()}`}
      kind={kind}
      text={<p>Takes effect when another operator approves it: {what}</p>}
      fields={[{ name: 'reason', label: 'Reason' }]}
      way={{
        label: 'Submit for approval',
        run: ({ reason }, requestId) =>
          call('POST /UpdateParticipantState', {
            body: {
              requestId,
              participantId: name,
              newState: isActive ? 'INACTIVE' : 'ACTIVE',
              reason,
            },
          }),
        done: 'Submitted. Another operator finds it under Approvals.',
      }}
    />
  )
}

function Summary({ name }: { name: string }) {
  const alarms = useQuery(alarmsQuery(name))
  const participant = useParticipants().data?.find((each) => each.name === name)
  return (
    <>
      {alarms.data !== undefined && alarms.data.length > 0 && (
        <Card title="Alarms">
          <AlarmTable alarms={alarms.data} />
        </Card>
      )}
      <div className="cards">
        <Card title="Position, limit and cover">
          <Legend />
          {participant !== undefined && <Bars participant={participant} />}
          <Accounts name={name} />
        </Card>
        <Readiness name={name} />
      </div>
    </>
  )
}

function Readiness({ name }: { name: string }) {
  return (
    <Card title="Readiness">
      <Loaded query={useQuery(readinessQuery(name))}>
        {({ ready, items }) => (
          <>
            <p>
              <State state={ready ? 'READY' : 'NOT READY'} />
            </p>
            <ul className="checklist">
              {items
                .toSorted((a, b) => Number(a.ok) - Number(b.ok))
                .map(({ item, ok, text }) => (
                  <li key={item} className={ok ? 'ok' : 'missing'}>
                    <strong>{ok ? 'Has' : 'Lacks'}</strong> {item}: {text}
                  </li>
                ))}
            </ul>
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Accounts({ name }: { name: string }) {
  return (
    <Loaded query={useQuery(balancesQuery(name))}>
      {(all) => (
        <Table
          caption={`Accounts of ${name}; a negative balance is owed to it`}
          head={['Type', '#Balance', '#Of it reserved', 'State', '#Id']}
          empty="No accounts."
          rows={all.map(({ id, ledgerAccountType, currency, value, reservedValue, isActive }) => ({
            key: id,
            cells: [
              `${ledgerAccountType.replaceAll('_', ' ')} ${currency}`,
              <Money key="balance" amount={value} currency={currency} />,
              <Money key="reserved" amount={reservedValue} currency={currency} />,
              <State key="state" state={isActive === 1 ? 'ACTIVE' : 'INACTIVE'} />,
              id,
            ],
          }))}
        />
      )}
    </Loaded>
  )
}

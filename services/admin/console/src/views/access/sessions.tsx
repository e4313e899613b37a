/** Open sessions: the operator's own, and those of a colleague; each can be ended. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton } from '../../change.tsx'
import type { OpenSession } from '../../generated/operator-api.ts'
import { Card, Loaded, Page, Table, Time } from '../../ui.tsx'

const factors: Readonly<Record<NonNullable<OpenSession['factor']>, string>> = {
  PASSWORD: 'password',
  CERTIFICATE: 'certificate',
  KEY: 'security key',
  SECOND_FACTOR: 'password and security key',
  OIDC: 'single sign-on',
}

export function OwnSessions() {
  const sessions = useQuery({
    queryKey: ['own-sessions'],
    queryFn: () => call('GET /app-sessions'),
  })
  return (
    <Card title="Sessions">
      <Loaded query={sessions}>
        {(all) => <SessionTable sessions={all} actionOf={(session) => <End session={session} />} />}
      </Loaded>
    </Card>
  )
}

/** @param of the name as it is in the address */
export function OperatorSessions({ of }: { of: string }) {
  const operator = decodeURIComponent(of)
  const { may } = useOperator()
  const sessions = useQuery({
    queryKey: ['sessions', operator],
    queryFn: () => call('GET /operators/{operator}/sessions', { operator }),
  })
  return (
    <Page title={`Sessions of ${operator}`}>
      <Card title="Open sessions">
        <Loaded query={sessions}>{(all) => <SessionTable sessions={all} />}</Loaded>
        {may('MANAGE_OPERATORS') && <EndAll operator={operator} />}
      </Card>
    </Page>
  )
}

function SessionTable({
  sessions,
  actionOf,
}: {
  sessions: readonly OpenSession[]
  actionOf?: (session: OpenSession) => ReactNode
}) {
  return (
    <Table
      caption="Open sessions, newest first"
      head={['Begun', 'Last used', 'Ends', 'From', 'Log-in', ...(actionOf ? ['Next'] : [])]}
      empty="No open session."
      rows={sessions.map((session) => ({
        key: session.id,
        cells: [
          <Time key="begun" at={session.createdDate} />,
          <Time key="used" at={session.lastUsedDate} />,
          <Time key="ends" at={session.expiresDate} />,
          session.address ?? 'not known',
          session.factor === null ? 'not known' : factors[session.factor],
          ...(actionOf ? [session.isCurrent ? 'this session' : actionOf(session)] : []),
        ],
      }))}
    />
  )
}

function End({ session: { id, address } }: { session: OpenSession }) {
  return (
    <AskButton
      label="End"
      of={`the session from ${address ?? 'an unknown address'}`}
      kind="danger"
      title="End this session?"
      text={<p>It cannot be used any more; a new log-in is needed.</p>}
      way={{
        label: 'End session',
        isDangerous: true,
        run: () => call('DELETE /app-sessions/{sessionId}', { sessionId: id }),
      }}
    />
  )
}

function EndAll({ operator }: { operator: string }) {
  return (
    <AskButton
      label="End all"
      of={`sessions of ${operator}`}
      kind="danger"
      title={`End every session of ${operator}?`}
      text={<p>{operator} has to log in again, on every device.</p>}
      way={{
        label: 'End sessions',
        isDangerous: true,
        run: () => call('DELETE /operators/{operator}/sessions', { operator }),
      }}
    />
  )
}

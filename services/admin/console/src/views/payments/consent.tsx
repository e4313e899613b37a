/** One consent: its parties, its credential, and its history. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton } from '../../change.tsx'
import type { ConsentRecord } from '../../generated/operator-api.ts'
import { Archived, Card, Facts, Loaded, Page, State, Table, Time } from '../../ui.tsx'
import { FspLink } from '../participants.tsx'
import { RequestLink } from './third-party-payments.tsx'

export function ConsentPage({ consentId }: { consentId: string }) {
  const { may } = useOperator()
  const record = useQuery({
    queryKey: ['consent', consentId],
    queryFn: () => call('GET /consents/{consentId}', { consentId }),
  })
  return (
    <Page title={`Consent ${consentId}`}>
      <p>
        <Link href="/consents">All consents</Link>
      </p>
      <Loaded query={record}>
        {(consent) => (
          <>
            <Summary consent={consent} />
            <Erasure consent={consent} />
            <Archived what="Part of the history" months={consent.archivedMonths} />
            <History steps={consent.steps} />
            {may('VIEW_TRANSFERS') && <Payments consentId={consentId} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Summary({ consent }: { consent: ConsentRecord }) {
  const { credentialType, credentialStatus, pispId } = consent
  return (
    <Card title="Summary">
      <Facts
        of={{
          State: <State state={consent.state} />,
          Reason: consent.reason,
          DFSP: <FspLink name={consent.dfspId} />,
          PISP: pispId === null ? null : <FspLink name={pispId} />,
          'Consent request': consent.consentRequestId,
          Credential:
            credentialType === null ? null : `${credentialType}, ${credentialStatus ?? ''}`,
          Origin: consent.origin,
          Registered: <Time at={consent.registeredAt} />,
          Issued: consent.issuedAt === null ? null : <Time at={consent.issuedAt} />,
          Revoked: consent.revokedAt === null ? null : <Time at={consent.revokedAt} />,
          'Revoked by': consent.revokedBy,
          Erased: consent.erasedAt === null ? null : <Time at={consent.erasedAt} />,
        }}
      />
    </Card>
  )
}

/** Only the contents of a consent that has ended can be erased. */
function Erasure({ consent }: { consent: ConsentRecord }) {
  const { may } = useOperator()
  const isOver = consent.state === 'REVOKED' || consent.state === 'REFUSED'
  if (!isOver || consent.erasedAt !== null || !may('MANAGE_CONSENTS')) return null
  return (
    <AskButton
      label="Erase contents"
      kind="danger"
      text={
        <p>
          The scopes and the credential of this consent are deleted and cannot be restored. Its
          state and its history remain.
        </p>
      }
      way={{
        label: 'Erase',
        run: () => call('DELETE /consents/{consentId}/contents', { consentId: consent.consentId }),
      }}
    />
  )
}

/** Only payments whose signature the hub has seen verified. */
function Payments({ consentId }: { consentId: string }) {
  const payments = useQuery({
    queryKey: ['consent-payments', consentId],
    queryFn: () => call('GET /third-party-transactions', { consentId }),
  })
  return (
    <Loaded query={payments}>
      {({ transactions }) => (
        <Table
          caption="Payments, newest first"
          head={['Requested', 'Transaction request', 'State']}
          empty="No payment has been signed under this consent."
          rows={transactions.map(({ transactionRequestId: id, requestedAt, state }) => ({
            key: id,
            cells: [
              <Time key="at" at={requestedAt} />,
              <RequestLink key="id" id={id} />,
              <State key="state" state={state} />,
            ],
          }))}
        />
      )}
    </Loaded>
  )
}

function History({ steps }: { steps: ConsentRecord['steps'] }) {
  return (
    <Table
      caption="History, newest first"
      head={['Time', 'Event', 'By', 'Details']}
      empty="No history has been recorded yet."
      rows={steps.map((step, at) => ({
        key: at,
        cells: [
          <Time key="at" at={step.at} />,
          step.type.replaceAll('_', ' '),
          step.fspId,
          <>
            {step.detail}
            {step.verificationRequestId !== undefined && (
              <small>
                {' '}
                <code>{step.verificationRequestId}</code>
              </small>
            )}
          </>,
        ],
      }))}
    />
  )
}

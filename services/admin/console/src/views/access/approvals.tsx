/** Changes that one operator has requested and another has to approve or reject. */
import { privilegeOfCall } from '@causeway/events/four-eyes'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useOperator } from '../../access.ts'
import { call, type OperationAnswer } from '../../api.ts'
import { AskButton } from '../../change.tsx'
import { requestSentence } from '../../domain/requests.ts'
import { signApproval } from '../../security-key.ts'
import { Loaded, Page, Table, Time } from '../../ui.tsx'

type PendingApproval = OperationAnswer<'GET /GetPendingApprovals'>['requests'][number]

export function usePending() {
  const { may } = useOperator()
  return useQuery({
    queryKey: ['pending'],
    queryFn: () => call('GET /GetPendingApprovals'),
    refetchInterval: 10_000,
    enabled: may('VIEW_PENDING'),
  })
}

export function Approvals() {
  const [result, setResult] = useState<unknown>()
  return (
    <Page title="Pending approvals">
      <p>A change that you requested must be approved by another operator.</p>
      {result !== undefined && (
        <section role="status">
          <h2>Result of the change that you approved</h2>
          <p>It is shown once. Hand a secret in it to the person whom it is for.</p>
          <Content value={result} />
        </section>
      )}
      <Loaded query={usePending()}>
        {({ requests, missing }) => (
          <>
            {missing.length > 0 && (
              <p role="alert" className="problem">
                Requests of these services cannot be shown now: {missing.join(', ')}.
              </p>
            )}
            <Table
              caption="Pending requests, oldest first"
              head={['Request', 'Details', 'Requested by', 'Time', 'Decision']}
              empty="No pending approvals."
              rows={requests.map((request) => ({
                key: request.requestId,
                cells: [
                  <>
                    {requestSentence(request.type, request.change)}
                    <br />
                    <small>{request.type}</small>
                  </>,
                  <Details key="content" request={request} />,
                  request.createdBy,
                  <Time key="when" at={request.createdDate} />,
                  <Decision key="decide" request={request} show={setResult} />,
                ],
              }))}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** @param show shows what the approved change answered */
function Decision({
  request,
  show,
}: {
  readonly request: PendingApproval
  readonly show: (result: unknown) => void
}) {
  const { name, may } = useOperator()
  const { requestId, type, createdBy, change, decide: approve } = request
  if (createdBy === name) return <p>You requested this change; another operator must decide.</p>
  const mayApprove = may(privilegeOfCall(approve))
  const mayReject = may(privilegeOfCall(approve, 'REJECT'))
  if (!mayApprove && !mayReject) return <p>Your roles do not permit this decision.</p>
  const sentence = requestSentence(type, change)
  const text = (
    <>
      <p>
        <strong>{sentence}</strong>
      </p>
      <p>Requested by {createdBy}.</p>
      <Details request={request} />
    </>
  )
  const note = { name: 'note', label: 'Note', optional: true } as const
  const decide =
    (decision: 'APPROVE' | 'REJECT') =>
    async ({ note: reason }: { readonly note: string }) => {
      if (decision === 'APPROVE') await signApproval(requestId)
      const answer = await call(`POST /${approve}`, { body: { requestId, decision, note: reason } })
      if ('outcome' in answer && answer.outcome !== null) show(answer.outcome)
      return answer
    }
  return (
    <>
      {mayApprove && (
        <AskButton
          label="Approve"
          kind="primary"
          title="Approve this request?"
          text={text}
          fields={[note]}
          way={{ label: 'Approve now', run: decide('APPROVE') }}
        />
      )}
      {mayReject && (
        <AskButton
          label="Reject"
          kind="danger"
          title="Reject this request?"
          text={text}
          fields={[note]}
          way={{ label: 'Reject now', run: decide('REJECT'), isDangerous: true }}
        />
      )}
    </>
  )
}

/** What changes, and what it replaces. */
function Details({ request: { change, replaces } }: { readonly request: PendingApproval }) {
  return (
    <>
      <Content value={change} />
      {replaces !== null && (
        <>
          <small>replaces</small>
          <Content value={replaces} />
        </>
      )}
    </>
  )
}

/** Values, however deeply nested. */
function Content({ value }: { value: unknown }): ReactNode {
  if (Array.isArray(value)) {
    return value.map((each: unknown, at) => (
      <div key={at}>
        <Content value={each} />
      </div>
    ))
  }
  if (typeof value !== 'object' || value === null) return String(value)
  return (
    <dl className="facts">
      {Object.entries<unknown>({ ...value }).map(([name, member]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Content value={member} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

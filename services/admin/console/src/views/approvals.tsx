/** What one person has asked for and another has to decide about. */
import { useQuery } from '@tanstack/react-query'
import { call, get } from '../api.ts'
import { ActionButton, Loaded, Page, Table, Time } from '../ui.tsx'

/** Where requests of a kind are listed, and where they are decided. */
const kinds = [
  ['GetPendingParticipants', 'ApproveParticipant'],
  ['GetPendingManageFunds', 'ApproveManageFunds'],
  ['GetPendingLiquidityCoverReservations', 'ApproveLiquidityCoverReservation'],
  ['GetPendingStateUpdates', 'ApproveParticipantStateUpdate'],
  ['GetPendingParticipantsAccounts', 'ApproveParticipantAccount'],
  ['GetPendingAccountsWithStatusUpdates', 'ApproveAccountStatusUpdate'],
  ['GetPendingAccountsWithLimitUpdates', 'ApproveAccountLimitUpdate'],
  ['GetPendingAccountsWithThresholdUpdates', 'ApproveAccountThresholdUpdate'],
  ['GetPendingEndpointUpdates', 'ApproveEndpointsUpdate'],
] as const

interface Pending {
  readonly requestId: string
  readonly type: string
  readonly createdBy: string
  readonly createdDate: string
  readonly change: Readonly<Record<string, unknown>>
}

interface Waiting {
  readonly approve: string
  readonly request: Pending
}

async function allPending(): Promise<readonly Waiting[]> {
  const lists = await Promise.all(
    kinds.map(async ([list, approve]) =>
      (await get<Pending[]>(`/${list}`)).map((request) => ({ approve, request })),
    ),
  )
  return lists.flat()
}

export function Approvals() {
  const pending = useQuery({
    queryKey: ['pending'],
    queryFn: allPending,
    refetchInterval: 5_000,
  })
  return (
    <Page title="Pending approvals">
      <p>Who asked for a change cannot approve it: it takes a second person.</p>
      <Loaded query={pending}>
        {(all) => (
          <Table
            caption="Requests that wait for a decision"
            head={['Request', 'What', 'Asked by', 'When', 'Decide']}
            empty="Nothing waits for a decision."
          >
            {all.map((waiting) => (
              <PendingRow key={waiting.request.requestId} waiting={waiting} />
            ))}
          </Table>
        )}
      </Loaded>
    </Page>
  )
}

function PendingRow({ waiting: { approve, request } }: { waiting: Waiting }) {
  const { requestId, type, createdBy, createdDate, change } = request
  const decide = (decision: 'APPROVE' | 'REJECT') => () =>
    call('POST', `/${approve}`, { requestId, decision })
  return (
    <tr>
      <th scope="row">{type}</th>
      <td>
        <Content value={change} />
      </td>
      <td>{createdBy}</td>
      <td>
        <Time at={createdDate} />
      </td>
      <td>
        <ActionButton label="Approve" kind="primary" run={decide('APPROVE')} />
        <ActionButton label="Reject" kind="danger" run={decide('REJECT')} />
      </td>
    </tr>
  )
}

/** What was asked for, however deep. */
function Content({ value }: { value: unknown }) {
  if (Array.isArray(value)) {
    return value.map((each: unknown, at) => (
      <span key={at}>
        {at > 0 && ', '}
        <Content value={each} />
      </span>
    ))
  }
  if (typeof value !== 'object' || value === null) return <>{String(value)}</>
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

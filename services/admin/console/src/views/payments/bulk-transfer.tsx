/** One bulk transfer: how far it has come, each of its items, and the messages to its FSPs. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api.ts'
import type { BulkTransferRecord } from '../../generated/operator-api.ts'
import { Archived, Card, Facts, Loaded, Money, Page, State, Table, Time } from '../../ui.tsx'
import { BulkQuoteLink } from './bulk-quotes.tsx'
import { FspLink } from '../participants.tsx'

const refresh_ms = 2_000
/** How its last messages were delivered is reported after the end. */
const refresh_ended_ms = 10_000

export function BulkTransferPage({ bulkTransferId }: { bulkTransferId: string }) {
  const record = useQuery({
    queryKey: ['bulk-transfer', bulkTransferId],
    queryFn: () => call('GET /bulkTransfers/{bulkTransferId}', { bulkTransferId }),
    refetchInterval: ({ state }) =>
      state.data?.completedAt === null ? refresh_ms : refresh_ended_ms,
  })
  return (
    <Page title={`Bulk transfer ${bulkTransferId}`}>
      <p>
        <Link href="/bulk-transfers">All bulk transfers</Link>
      </p>
      <Loaded query={record}>
        {(bulk) => (
          <>
            <Summary bulk={bulk} />
            <Items items={bulk.individualTransfers} />
            <Archived
              what="What its FSPs sent, and how it was delivered,"
              months={bulk.archivedMonths}
            />
            <Deliveries deliveries={bulk.deliveries} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Summary({ bulk }: { bulk: BulkTransferRecord }) {
  const { items, open, committed, undecided } = bulk
  return (
    <Card title="Summary">
      <p>
        <progress max={items} value={items - open} aria-label="Items that are final" />{' '}
        {items - open} of {items} items are final, {committed} of them paid
      </p>
      <Facts
        of={{
          State: <State state={bulk.state} />,
          Reason: bulk.reason,
          From: <FspLink name={bulk.payerFsp} />,
          To: <FspLink name={bulk.payeeFsp} />,
          'Not yet decided by the ledger': undecided,
          'Bulk quote': <BulkQuoteLink id={bulk.bulkQuoteId} />,
          Received: <Time at={bulk.receivedAt} />,
          Expires: <Time at={bulk.expiration} />,
          Completed: bulk.completedAt === null ? null : <Time at={bulk.completedAt} />,
        }}
      />
    </Card>
  )
}

function Items({ items }: { items: BulkTransferRecord['individualTransfers'] }) {
  return (
    <Card title="Items">
      <Table
        caption="In the order of the request"
        head={['#No.', 'Payment', '#Amount', 'State', 'Payee FSP was asked']}
        empty="No items."
        rows={items.map((item, at) => ({
          key: `${at} ${item.transferId}`,
          cells: [
            at + 1,
            <Link key="id" href={`/payments/${encodeURIComponent(item.transferId)}`}>
              <code>{item.transferId}</code>
            </Link>,
            item.amount === null ? '' : <Money key="amount" {...item.amount} />,
            item.state === null ? (
              'The id belongs to another payment'
            ) : (
              <>
                <State state={item.state} /> <small>{item.reason}</small>
              </>
            ),
            item.isAsked ? 'yes' : 'no',
          ],
        }))}
      />
    </Card>
  )
}

function Deliveries({ deliveries }: { deliveries: BulkTransferRecord['deliveries'] }) {
  return (
    <Card title="Deliveries">
      <Table
        caption="Messages to the FSPs"
        head={['To', 'As', 'Result', '#Attempts', 'Reported']}
        empty="Nothing was reported yet."
        rows={deliveries.map((delivery) => ({
          key: delivery.notificationId,
          cells: [
            <FspLink key="to" name={delivery.to} />,
            delivery.role,
            delivery.status,
            delivery.attemptsCount,
            <Time key="at" at={delivery.reportedAt} />,
          ],
        }))}
      />
    </Card>
  )
}

/** One bulk quote: how far it has come, each of its items, and what happened to it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api.ts'
import type { BulkQuoteStory, BulkTransfer } from '../../generated/operator-api.ts'
import { Card, Facts, Loaded, Money, Page, State, Table, Time } from '../../ui.tsx'
import { BulkTransferLink } from './bulk-transfers.tsx'
import { FspLink } from '../participants.tsx'
import { Findings, Sequence } from './sequence.tsx'

type BulkQuoteItem = BulkQuoteStory['individualQuotes'][number]

const refresh_ms = 2_000
/** How its last messages were delivered is reported after the end. */
const refresh_ended_ms = 10_000

export function BulkQuotePage({ bulkQuoteId }: { bulkQuoteId: string }) {
  const story = useQuery({
    queryKey: ['bulk-quote', bulkQuoteId],
    queryFn: () => call('GET /bulkQuotes/{bulkQuoteId}', { bulkQuoteId }),
    refetchInterval: ({ state }) =>
      state.data?.completedAt === null ? refresh_ms : refresh_ended_ms,
  })
  return (
    <Page title={`Bulk quote ${bulkQuoteId}`}>
      <p>
        <Link href="/bulk-quotes">All bulk quotes</Link>
      </p>
      <Loaded query={story}>
        {(bulk) => (
          <>
            <Summary bulk={bulk} />
            <BulkTransfersOfQuote bulks={bulk.bulkTransfers} />
            <Items items={bulk.individualQuotes} />
            <Sequence steps={bulk.steps} payerSide={[bulk.payerFsp]} payee={bulk.payeeFsp ?? ''} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Summary({ bulk }: { bulk: BulkQuoteStory }) {
  const { items, individualQuotes, error } = bulk
  const isFinal = ({ state }: BulkQuoteItem) => state !== 'PENDING'
  const ended = bulk.completedAt === null ? individualQuotes.filter(isFinal).length : items
  return (
    <Card title="What happened">
      <p>
        <progress max={items} value={ended} aria-label="Items that are final" /> {ended} of {items}{' '}
        items are final
      </p>
      <Findings of={bulk.findings} />
      <Facts
        of={{
          State: <State state={bulk.state} />,
          'Error sent to the payer FSP':
            error === null ? null : `${error.errorCode} ${error.errorDescription}`,
          Reason: bulk.reason,
          From: <FspLink name={bulk.payerFsp} />,
          To: bulk.payeeFsp === null ? null : <FspLink name={bulk.payeeFsp} />,
          'Refused before the payee FSP was asked': bulk.itemsRefused,
          Received: <Time at={bulk.receivedAt} />,
          Expires: <Time at={bulk.expiration} />,
          Completed: bulk.completedAt === null ? null : <Time at={bulk.completedAt} />,
          'Terms hold until': bulk.validUntil === null ? null : <Time at={bulk.validUntil} />,
        }}
      />
    </Card>
  )
}

function BulkTransfersOfQuote({ bulks }: { bulks: readonly BulkTransfer[] }) {
  return (
    <Card title="Bulk transfers">
      <Table
        caption="Those that name this bulk quote, the newest first"
        head={['Bulk transfer', 'From', '#Items', '#Paid', 'State', 'Received']}
        empty="No bulk transfer names it."
        rows={bulks.map((bulk) => ({
          key: bulk.bulkTransferId,
          cells: [
            <BulkTransferLink key="id" id={bulk.bulkTransferId} />,
            <FspLink key="from" name={bulk.payerFsp} />,
            bulk.items,
            bulk.committed,
            <State key="state" state={bulk.state} />,
            <Time key="received" at={bulk.receivedAt} />,
          ],
        }))}
      />
    </Card>
  )
}

function Items({ items }: { items: readonly BulkQuoteItem[] }) {
  return (
    <Card title="Items">
      <Table
        caption="In the order of the request"
        head={['#No.', 'Quote', 'Asked', '#Amount', '#To be transferred', 'State']}
        empty="No items are stored here."
        rows={items.map((item, at) => ({
          key: `${at} ${item.quoteId}`,
          cells: [
            at + 1,
            <code key="id">{item.quoteId}</code>,
            item.amountType,
            <Money key="amount" {...item.amount} />,
            item.transferAmount === null ? '' : <Money key="transfer" {...item.transferAmount} />,
            <>
              <State state={item.state} /> <small>{reasonOf(item)}</small>
            </>,
          ],
        }))}
      />
    </Card>
  )
}

function reasonOf({ reason, error }: BulkQuoteItem): string {
  return error === null
    ? (reason ?? '')
    : `${reason ?? ''}: ${error.errorCode} ${error.errorDescription}`
}

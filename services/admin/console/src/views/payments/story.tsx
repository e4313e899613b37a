/** The story of one payment: a summary, then every step in order as a sequence diagram. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import type { Story, ThirdPartyTransaction } from '../../generated/operator-api.ts'
import { Card, Facts, Loaded, Money, Page, Problem, State, Time } from '../../ui.tsx'
import { BulkQuoteLink } from './bulk-quotes.tsx'
import { BulkTransferLink } from './bulk-transfers.tsx'
import { ConsentLink } from './consents.tsx'
import { FspLink } from '../participants.tsx'
import { Findings, Sequence } from './sequence.tsx'
import { RequestLink } from './third-party-payments.tsx'

type StoryParty = NonNullable<Story['transaction']>['payer']

const isOpen = (state: string | undefined) => state === 'RECEIVED' || state === 'RESERVED'

export function StoryPage({ transferId }: { transferId: string }) {
  const story = useQuery({
    queryKey: ['story', transferId],
    queryFn: () => call('GET /transfers/{transferId}/story', { transferId }),
    refetchInterval: ({ state }) => (isOpen(state.data?.state) ? 1_000 : 10_000),
  })
  return (
    <Page title="Story of a payment">
      <p>
        <code>{transferId}</code>
      </p>
      <Loaded query={story}>
        {(story) => (
          <>
            <Summary story={story} />
            {story.thirdParty !== null && <Begun by={story.thirdParty} />}
            <Sequence
              steps={story.steps}
              payerSide={[story.payerFsp, ...(story.thirdParty ? [story.thirdParty.pispId] : [])]}
              payee={story.payeeFsp}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** A request of a PISP, with the resulting payment. */
export function RequestStoryPage({ transactionRequestId }: { transactionRequestId: string }) {
  const story = useQuery({
    queryKey: ['request-story', transactionRequestId],
    queryFn: () =>
      call('GET /third-party-transactions/{transactionRequestId}/story', { transactionRequestId }),
  })
  return (
    <Page title="Story of a third-party payment">
      <p>
        <Link href="/third-party">All third-party payments</Link>
      </p>
      <p>
        <code>{transactionRequestId}</code>
      </p>
      <Loaded query={story}>
        {({ thirdParty, transfer, findings, steps }) => (
          <>
            <Card title="Summary">
              <Findings of={findings} />
              {transfer !== null && (
                <p>
                  <Link href={`/payments/${encodeURIComponent(transfer.transferId)}`}>
                    Payment {transfer.transferId}
                  </Link>{' '}
                  <State state={transfer.state} />
                </p>
              )}
            </Card>
            <Begun by={thirdParty} />
            <Sequence
              steps={steps}
              payerSide={[thirdParty.dfspId, thirdParty.pispId]}
              payee={transfer?.payeeFsp ?? ''}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Begun({ by }: { by: ThirdPartyTransaction }) {
  const { transactionRequestId: id, consentId, error } = by
  return (
    <Card title="Third party">
      <Facts
        of={{
          PISP: <FspLink name={by.pispId} />,
          DFSP: <FspLink name={by.dfspId} />,
          'Transaction request': <RequestLink id={id} />,
          Consent: consentId !== null && <ConsentLink id={consentId} />,
          State: <State state={by.state} />,
          'Reported to the PISP':
            error === null ? null : `${error.errorCode} ${error.errorDescription}`,
          Requested: <Time at={by.requestedAt} />,
          Ended: by.endedAt === null ? null : <Time at={by.endedAt} />,
        }}
      />
    </Card>
  )
}

function Summary({ story }: { story: Story }) {
  const { cause, transaction, findings, completedAt } = story
  return (
    <Card title="Summary">
      <p>
        <State state={story.state} /> <Money {...story.amount} /> from{' '}
        <FspLink name={story.payerFsp} /> to <FspLink name={story.payeeFsp} />
      </p>
      <Findings of={findings} />
      <Facts
        of={{
          'Reported to the FSPs':
            cause === null
              ? null
              : `${cause.errorCode} ${cause.errorDescription} (${cause.reason})`,
          Received: <Time at={story.receivedAt} />,
          Expires: <Time at={story.expiration} />,
          Ended: <Time at={completedAt} />,
          Parties:
            transaction === null ? null : (
              <Parties
                transferId={story.transferId}
                payer={transaction.payer}
                payee={transaction.payee}
              />
            ),
          Quote: transaction !== null && (
            <>
              <code>{transaction.quoteId}</code>
              {transaction.quoteIsKnown ? '' : ' (not known to this hub)'}
            </>
          ),
          'Bulk quote': transaction !== null && transaction.bulkQuoteId !== null && (
            <BulkQuoteLink id={transaction.bulkQuoteId} />
          ),
          'Bulk transfer': story.bulkTransferId !== null && (
            <BulkTransferLink id={story.bulkTransferId} />
          ),
        }}
      />
    </Card>
  )
}

/** Masked; in full for who may see them, and each look is on record. */
function Parties({
  transferId,
  payer,
  payee,
}: {
  transferId: string
  payer: StoryParty
  payee: StoryParty
}) {
  const { may } = useOperator()
  const full = useQuery({
    queryKey: ['parties', transferId],
    queryFn: () => call('POST /transfers/{transferId}/parties', { transferId }),
    enabled: false,
    gcTime: 0,
  })
  const shown = full.data ?? { payer, payee }
  return (
    <>
      {partyText(shown.payer)} pays {partyText(shown.payee)}{' '}
      {full.data === undefined && may('RUN_UNMASK_PERSONAL_DATA') && (
        <button type="button" disabled={full.isFetching} onClick={() => void full.refetch()}>
          Show identifiers
        </button>
      )}
      {full.isError && <Problem error={full.error} />}
    </>
  )
}

function partyText({ partyIdType, partyIdentifier, fspId }: StoryParty): string {
  return `${partyIdType} ${partyIdentifier}${fspId === null ? '' : ` at ${fspId}`}`
}

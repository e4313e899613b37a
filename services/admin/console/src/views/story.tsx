/** The story of one payment: first what matters, then everything in its order, drawn as a sequence. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get } from '../api.ts'
import { shownAmount, type Amount } from '../domain/amounts.ts'
import { arrowOf, sinceText, type SequenceStep } from '../domain/sequence.ts'
import { Card, Facts, Loaded, Money, Page, State, Time } from '../ui.tsx'
import { FspLink } from './participants.tsx'
import type { Transfer } from './payments.tsx'

interface Step extends SequenceStep {
  readonly at: string
  readonly says: string
  readonly message?: string
  readonly refused?: string | null
  readonly by?: string
  readonly outcome?: string
  readonly facts?: Readonly<Record<string, Amount | null>>
  readonly state?: string
  readonly cause?: string
  readonly attempts?: readonly {
    readonly beganAt: string
    readonly duration_ms: number
    readonly httpStatus: number | null
    readonly error: string | null
  }[]
}

interface Party {
  readonly partyIdType: string
  readonly partyIdentifier: string
  readonly fspId: string | null
}

export interface ThirdParty {
  readonly transactionRequestId: string
  readonly transactionId: string | null
  readonly consentId: string | null
  readonly pispId: string
  readonly dfspId: string
  readonly state: string
  readonly error: { readonly errorCode: string; readonly errorDescription: string } | null
  readonly requestedAt: string
  readonly endedAt: string | null
}

interface RequestStory {
  readonly thirdParty: ThirdParty
  readonly transfer: Transfer | null
  readonly findings: readonly string[]
  readonly steps: readonly Step[]
}

interface Story extends Transfer {
  readonly expiration: string
  readonly cause: {
    readonly reason: string
    readonly errorCode: string
    readonly errorDescription: string
  } | null
  readonly findings: readonly string[]
  readonly thirdParty: ThirdParty | null
  readonly transaction: {
    readonly transactionId: string
    readonly quoteId: string
    readonly quoteIsKnown: boolean
    readonly payer: Party
    readonly payee: Party
  } | null
  readonly steps: readonly Step[]
}

const isOpen = (state: string | undefined) => state === 'RECEIVED' || state === 'RESERVED'

export function StoryPage({ transferId }: { transferId: string }) {
  const story = useQuery({
    queryKey: ['story', transferId],
    queryFn: () => get<Story>(`/transfers/${encodeURIComponent(transferId)}/story`),
    refetchInterval: ({ state }) => (isOpen(state.data?.state) ? 1_000 : 10_000),
  })
  return (
    <Page title="Story of a payment">
      <p>
        <code>{transferId}</code>
      </p>
      <Loaded query={story}>
        {(told) => (
          <>
            <Summary story={told} />
            {told.thirdParty !== null && <Begun by={told.thirdParty} />}
            <Sequence
              steps={told.steps}
              payerSide={[told.payerFsp, ...(told.thirdParty ? [told.thirdParty.pispId] : [])]}
              payee={told.payeeFsp}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** A request of a PISP, with the payment that came of it. */
export function RequestStoryPage({ transactionRequestId }: { transactionRequestId: string }) {
  const path = `/third-party-transactions/${encodeURIComponent(transactionRequestId)}/story`
  const story = useQuery({
    queryKey: ['request-story', transactionRequestId],
    queryFn: () => get<RequestStory>(path),
  })
  return (
    <Page title="Story of a third-party payment">
      <p>
        <code>{transactionRequestId}</code>
      </p>
      <Loaded query={story}>
        {({ thirdParty, transfer, findings, steps }) => (
          <>
            <Card title="What happened">
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

function Begun({ by }: { by: ThirdParty }) {
  const { transactionRequestId: id, consentId, error } = by
  return (
    <Card title="Third party">
      <Facts
        of={{
          PISP: <FspLink name={by.pispId} />,
          DFSP: <FspLink name={by.dfspId} />,
          'Transaction request': (
            <Link href={`/third-party/${encodeURIComponent(id)}`}>
              <code>{id}</code>
            </Link>
          ),
          Consent: consentId !== null && (
            <Link href={`/consents/${encodeURIComponent(consentId)}`}>
              <code>{consentId}</code>
            </Link>
          ),
          State: <State state={by.state} />,
          'Told to the PISP':
            error === null ? null : `${error.errorCode} ${error.errorDescription}`,
          Requested: <Time at={by.requestedAt} />,
          Ended: by.endedAt === null ? null : <Time at={by.endedAt} />,
        }}
      />
    </Card>
  )
}

function Findings({ of: findings }: { of: readonly string[] }) {
  return (
    <ul className="findings">
      {findings.map((finding) => (
        <li key={finding}>{finding}</li>
      ))}
    </ul>
  )
}

function Summary({ story }: { story: Story }) {
  const { cause, transaction, findings, completedAt } = story
  return (
    <Card title="What happened">
      <p>
        <State state={story.state} /> <Money {...story.amount} /> from{' '}
        <FspLink name={story.payerFsp} /> to <FspLink name={story.payeeFsp} />
      </p>
      <Findings of={findings} />
      <Facts
        of={{
          'Told to the FSPs':
            cause === null
              ? null
              : `${cause.errorCode} ${cause.errorDescription} (${cause.reason})`,
          Received: <Time at={story.receivedAt} />,
          Expires: <Time at={story.expiration} />,
          Ended: <Time at={completedAt} />,
          Parties:
            transaction === null
              ? null
              : `${partyText(transaction.payer)} pays ${partyText(transaction.payee)}`,
          Quote: transaction !== null && (
            <>
              <code>{transaction.quoteId}</code>
              {transaction.quoteIsKnown ? '' : ' (not known to this hub)'}
            </>
          ),
        }}
      />
    </Card>
  )
}

function partyText({ partyIdType, partyIdentifier, fspId }: Party): string {
  return `${partyIdType} ${partyIdentifier}${fspId === null ? '' : ` at ${fspId}`}`
}

interface Lanes {
  readonly steps: readonly Step[]
  /** The payer FSP, and the PISP where one began it. */
  readonly payerSide: readonly string[]
  readonly payee: string
}

function Sequence({ steps, payerSide, payee }: Lanes) {
  const first = steps[0]?.at ?? ''
  return (
    <Card title="Step by step">
      <div className="lanes" aria-hidden="true">
        <span>{payerSide.toReversed().join(', ')}</span>
        <span>Hub</span>
        <span>{payee}</span>
      </div>
      <ol className="sequence">
        {steps.map((step, at) => (
          <StepRow key={`${step.at} ${at}`} step={step} payerSide={payerSide} first={first} />
        ))}
      </ol>
    </Card>
  )
}

interface Row {
  readonly step: Step
  readonly payerSide: readonly string[]
  readonly first: string
}

function StepRow({ step, payerSide, first }: Row) {
  const { from, to } = arrowOf(step, payerSide)
  const isWrong =
    typeof step.refused === 'string' ||
    step.state === 'FAILED' ||
    ['REFUSED', 'VOIDED', 'ABORTED', 'REJECTED'].includes(step.outcome ?? '')
  return (
    <li className={`step ${from}-${to} ${step.type.toLowerCase()}${isWrong ? ' wrong' : ''}`}>
      <time dateTime={step.at} title={step.at}>
        {sinceText(step.at, first)}
      </time>
      <div className="said">
        <strong>{titleOf(step)}</strong> {step.says}
        <StepFacts step={step} />
        <Attempts step={step} />
      </div>
    </li>
  )
}

function titleOf(step: Step): string {
  switch (step.type) {
    case 'MESSAGE':
      return `${step.message ?? ''}`
    case 'DELIVERY':
      return step.state ?? ''
    case 'DECISION':
      return `${step.by ?? ''}: ${step.outcome ?? ''}`
    case 'JOURNAL':
      return 'journal:'
  }
}

/** Only what was known when it was decided. */
function StepFacts({ step: { facts = {} } }: { step: Step }) {
  const known = Object.entries(facts).flatMap(([name, value]) =>
    value === null ? [] : [{ name, value }],
  )
  if (known.length === 0) return null
  return (
    <dl className="facts">
      {known.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'number' ? shownAmount(value) : value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Attempts({ step: { attempts = [] } }: { step: Step }) {
  if (attempts.length === 0) return null
  return (
    <ul className="attempts">
      {attempts.map(({ beganAt, duration_ms, httpStatus, error }) => (
        <li key={beganAt}>
          {beganAt.slice(11, 23)} {httpStatus ?? 'no answer'} in {duration_ms} ms{' '}
          {error === null ? '' : `(${error})`}
        </li>
      ))}
    </ul>
  )
}

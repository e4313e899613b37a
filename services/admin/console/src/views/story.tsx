/** The story of one payment: first what matters, then everything in its order, drawn as a sequence. */
import { useQuery } from '@tanstack/react-query'
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

interface Story extends Transfer {
  readonly expiration: string
  readonly cause: {
    readonly reason: string
    readonly errorCode: string
    readonly errorDescription: string
  } | null
  readonly findings: readonly string[]
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
            <Sequence story={told} />
          </>
        )}
      </Loaded>
    </Page>
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
      <ul className="findings">
        {findings.map((finding) => (
          <li key={finding}>{finding}</li>
        ))}
      </ul>
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

function Sequence({ story: { steps, payerFsp, payeeFsp } }: { story: Story }) {
  const first = steps[0]?.at ?? ''
  return (
    <Card title="Step by step">
      <div className="lanes" aria-hidden="true">
        <span>{payerFsp}</span>
        <span>Hub</span>
        <span>{payeeFsp}</span>
      </div>
      <ol className="sequence">
        {steps.map((step, at) => (
          <StepRow key={`${step.at} ${at}`} step={step} payerFsp={payerFsp} first={first} />
        ))}
      </ol>
    </Card>
  )
}

function StepRow({ step, payerFsp, first }: { step: Step; payerFsp: string; first: string }) {
  const { from, to } = arrowOf(step, payerFsp)
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

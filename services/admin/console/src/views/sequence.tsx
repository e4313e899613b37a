/** The steps of a payment as a sequence diagram of payer, hub and payee. */
import { shownAmount, type Amount } from '../domain/amounts.ts'
import { arrowOf, sinceText, type SequenceStep } from '../domain/sequence.ts'
import { Card } from '../ui.tsx'

export interface Step extends SequenceStep {
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

export function Findings({ of: findings }: { of: readonly string[] }) {
  return (
    <ul className="findings">
      {findings.map((finding) => (
        <li key={finding}>{finding}</li>
      ))}
    </ul>
  )
}

interface Lanes {
  readonly steps: readonly Step[]
  /** The payer FSP, and the PISP where one began it. */
  readonly payerSide: readonly string[]
  readonly payee: string
}

export function Sequence({ steps, payerSide, payee }: Lanes) {
  const first = steps[0]?.at ?? ''
  return (
    <Card title="Timeline">
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

/** Only the values that were known at the decision. */
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

/** The steps of a payment as a sequence diagram of payer, hub and payee. */
import { shownAmount } from '../../domain/amounts.ts'
import { arrowOf, sinceText } from '../../domain/sequence.ts'
import type { StoryStep } from '../../generated/operator-api.ts'
import { Card } from '../../ui.tsx'

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
  readonly steps: readonly StoryStep[]
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

type StoryStepOf<Type extends StoryStep['type']> = Extract<StoryStep, { readonly type: Type }>

interface SequenceRow {
  readonly step: StoryStep
  readonly payerSide: readonly string[]
  readonly first: string
}

function StepRow({ step, payerSide, first }: SequenceRow) {
  const { from, to } = arrowOf(step, payerSide)
  return (
    <li className={`step ${from}-${to} ${step.type.toLowerCase()}${isWrong(step) ? ' wrong' : ''}`}>
      <time dateTime={step.at} title={step.at}>
        {sinceText(step.at, first)}
      </time>
      <div className="message">
        <strong>{titleOf(step)}</strong> {step.says}
        {step.type === 'DECISION' && <StepFacts facts={step.facts} />}
        {step.type === 'DELIVERY' && <Attempts attempts={step.attempts} />}
      </div>
    </li>
  )
}

function isWrong(step: StoryStep): boolean {
  switch (step.type) {
    case 'MESSAGE':
      return step.refused !== null
    case 'DELIVERY':
      return step.state === 'FAILED'
    case 'DECISION':
      return ['REFUSED', 'VOIDED', 'ABORTED', 'REJECTED'].includes(step.outcome)
    case 'JOURNAL':
      return false
  }
}

function titleOf(step: StoryStep): string {
  switch (step.type) {
    case 'MESSAGE':
      return step.message
    case 'DELIVERY':
      return step.state
    case 'DECISION':
      return `${step.by}: ${step.outcome}`
    case 'JOURNAL':
      return 'journal:'
  }
}

/** Only the values that were known at the decision. */
function StepFacts({ facts }: { facts: StoryStepOf<'DECISION'>['facts'] }) {
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

function Attempts({ attempts }: { attempts: StoryStepOf<'DELIVERY'>['attempts'] }) {
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

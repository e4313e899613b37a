/** One settlement: its state, the net positions, and the steps that its state allows. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useOperator } from '../../access.ts'
import { call, ApiRefusal } from '../../api.ts'
import { AskButton, filled, type FormValues } from '../../change.tsx'
import {
  abortText,
  canAbort,
  fundsOutText,
  hasReached,
  nextStep,
  settlementStep,
  stepLabels,
  steps,
  stepText,
  type AccountStep,
} from '../../domain/settlement-steps.ts'
import type { Settlement } from '../../generated/operator-api.ts'
import { Card, Facts, Loaded, Money, Page, State, Table, Time } from '../../ui.tsx'
import { SettlementFiles } from './files.tsx'
import { useParticipants } from '../participants.tsx'

const isOver = (state: string | undefined) => state === 'SETTLED' || state === 'ABORTED'

export function SettlementPage({ id }: { id: string }) {
  const settlement = useQuery({
    queryKey: ['settlement', id],
    queryFn: () => call('GET /v2/settlements/{id}', { id }),
    refetchInterval: ({ state }) => (isOver(state.data?.state) ? 30_000 : 3_000),
  })
  return (
    <Page title={`Settlement ${id}`}>
      <p>
        <Link href="/settlements">All windows and settlements</Link>
      </p>
      <Loaded query={settlement}>
        {(settlement) => (
          <>
            <Head settlement={settlement} />
            <Accounts settlement={settlement} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Head({ settlement }: { settlement: Settlement }) {
  const { id, state, settlementModel, settlementWindows, reason } = settlement
  return (
    <Card title="Progress">
      <p>
        <State state={state} />
      </p>
      {state !== 'ABORTED' && (
        <ol className="progress">
          {steps.map((step) => (
            <li key={step} className={hasReached(state, step) ? 'reached' : ''}>
              {step.replace('PS_TRANSFERS_', '').replaceAll('_', ' ')}
              {hasReached(state, step) && <span className="unseen"> (reached)</span>}
            </li>
          ))}
        </ol>
      )}
      <Facts
        of={{
          Model: settlementModel,
          Windows: settlementWindows.map((window) => window.id).join(', '),
          Reason: reason,
          Begun: <Time at={settlement.createdDate} />,
          Changed: <Time at={settlement.changedDate} />,
        }}
      />
      <SettlementFiles id={id} />
    </Card>
  )
}

type SettlementAccount = Settlement['participants'][number]['accounts'][number]

interface Part {
  readonly participantId: number
  readonly account: SettlementAccount
}

function Accounts({ settlement }: { settlement: Settlement }) {
  const { may } = useOperator()
  const { id, state, participants, stepEffects } = settlement
  const nameOf = useNamesByAccount()
  const parts = participants.flatMap((participant) =>
    participant.accounts.map((account) => ({ participantId: participant.id, account })),
  )
  const accounts = parts.map(({ account }) => account)
  const step = settlementStep(accounts)
  const stepping = parts.filter(
    ({ account }) => step !== undefined && nextStep(account.state ?? '') === step,
  )
  const mayStep = may('MANAGE_SETTLEMENTS')
  const fundsOut = fundsOutText(accounts, stepEffects)
  return (
    <Card title="Net positions">
      <Table
        caption={`Accounts of settlement ${id}`}
        head={['Participant', '#Owes', '#Receives', 'State', 'Bank reference', 'Next']}
        empty="No accounts."
        rows={parts.map((part) => ({
          key: part.account.id,
          cells: [
            nameOf(part.account.id),
            ...netCells(part.account),
            <State key="state" state={part.account.state ?? ''} />,
            part.account.externalReference ?? '–',
            mayStep && step !== undefined && stepping.length > 1 && stepping.includes(part) && (
              <StepButton
                key="next"
                settlement={settlement}
                step={step}
                parts={[part]}
                of={nameOf(part.account.id)}
              />
            ),
          ],
        }))}
      />
      {fundsOut !== undefined && <p>{fundsOut}</p>}
      {mayStep && (
        <div className="line">
          {step !== undefined && (
            <StepButton settlement={settlement} step={step} parts={stepping} />
          )}
          {canAbort(state, accounts) && (
            <AbortButton id={id} text={abortText(accounts, stepEffects)} />
          )}
        </div>
      )}
    </Card>
  )
}

type StepField = 'reason' | 'externalReference'

/** One account, or without its name all in the earliest state. */
function StepButton({
  settlement: { id, stepEffects },
  step,
  parts,
  of,
}: {
  settlement: Settlement
  step: AccountStep
  parts: readonly Part[]
  of?: string
}) {
  const whose = of ?? `settlement ${id}`
  const label = of === undefined ? `${stepLabels[step]} ${whose}` : stepLabels[step]
  return (
    <AskButton<StepField>
      label={label}
      {...(of === undefined ? {} : { of })}
      kind={of === undefined ? 'primary' : ''}
      title={`${stepLabels[step]} ${whose}?`}
      text={
        <p>
          {parts.length === 1 ? 'One account' : `${parts.length} accounts`} of settlement {id}:{' '}
          {stepText(step, stepEffects)}
        </p>
      }
      fields={[
        { name: 'reason', label: 'Reason', initial: 'as agreed' },
        { name: 'externalReference', label: 'Bank reference', optional: true },
      ]}
      way={{
        label: stepLabels[step],
        run: async (values) => {
          const body = stepBody(parts, step, values)
          refuseFaults(await call('PUT /v2/settlements/{id}', { id, body }))
        },
      }}
    />
  )
}

function stepBody(
  parts: readonly Part[],
  state: AccountStep,
  { reason, externalReference }: FormValues<StepField>,
) {
  const reference = filled({ externalReference })
  const ids = [...new Set(parts.map(({ participantId }) => participantId))]
  return {
    participants: ids.map((id) => ({
      id,
      accounts: parts
        .filter(({ participantId }) => participantId === id)
        .map(({ account }) => ({ id: account.id, state, reason, ...reference })),
    })),
  }
}

/** The answer is 200 even when an account could not step. */
function refuseFaults({ participants }: Settlement): void {
  for (const { id, errorInformation } of participants.flatMap(({ accounts }) => accounts)) {
    if (errorInformation === undefined) continue
    const { errorCode, errorDescription } = errorInformation
    throw new ApiRefusal(400, errorCode, `Account ${id}: ${errorDescription}`)
  }
}

function AbortButton({ id, text }: { id: number; text: string }) {
  return (
    <AskButton<'reason'>
      label={`Abort settlement ${id}`}
      kind="danger"
      title={`Abort settlement ${id}?`}
      text={<p>{text}</p>}
      fields={[{ name: 'reason', label: 'Reason' }]}
      way={{
        label: 'Abort settlement',
        isDangerous: true,
        run: ({ reason }) =>
          call('PUT /v2/settlements/{id}', { id, body: { state: 'ABORTED', reason } }),
      }}
    />
  )
}

function netCells({ netSettlementAmount: net }: SettlementAccount) {
  if (net === undefined) return ['–', '–']
  const text = String(net.amount)
  const isOwed = text.startsWith('-')
  const cell = (
    <Money key="net" amount={isOwed ? text.slice(1) : net.amount} currency={net.currency} />
  )
  return isOwed ? ['', cell] : [cell, '']
}

/** Settlements name accounts by number; the owner is looked up among the participants. */
function useNamesByAccount(): (accountId: number) => string {
  const participants = useParticipants().data ?? []
  const names = new Map(
    participants.flatMap(({ name, accounts }) => accounts.map(({ id }) => [id, name] as const)),
  )
  return (accountId) => names.get(accountId) ?? `account ${accountId}`
}

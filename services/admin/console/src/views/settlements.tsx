/** Windows and settlements, with the buttons that their states allow. */
import { useQuery } from '@tanstack/react-query'
import { call, get } from '../api.ts'
import type { Amount } from '../domain/amounts.ts'
import {
  canAbort,
  canClose,
  canSettle,
  nextStep,
  settlementStep,
  stepLabels,
  type AccountStep,
} from '../domain/settlement-steps.ts'
import { ActionButton, Card, Loaded, Money, Page, State, Table, Time } from '../ui.tsx'
import { useParticipants } from './participants.tsx'

interface Window {
  readonly id: number
  readonly state: string
  readonly reason: string
  readonly createdDate: string
  readonly changedDate: string
  readonly content: readonly {
    readonly id: number
    readonly state: string
    readonly currencyId: string
    readonly settlementId?: number
  }[]
}

interface SettlementAccount {
  readonly id: number
  readonly state?: string
  readonly netSettlementAmount?: { readonly amount: Amount; readonly currency: string }
}

interface Settlement {
  readonly id: number
  readonly settlementModel: string
  readonly state: string
  readonly reason: string
  readonly createdDate: string
  readonly settlementWindows: readonly Window[]
  readonly participants: readonly {
    readonly id: number
    readonly accounts: readonly SettlementAccount[]
  }[]
}

interface Model {
  readonly name: string
  readonly isActive: boolean
  readonly currency: string
  readonly settlementGranularity: string
  readonly settlementDelay: string
}

const refetchInterval = 3_000
const everything = 'fromDateTime=1970-01-01T00:00:00.000Z'

export function Settlements() {
  const windows = useQuery({
    queryKey: ['windows'],
    queryFn: () => get<Window[]>(`/v2/settlementWindows?${everything}`),
    refetchInterval,
  })
  const settlements = useQuery({
    queryKey: ['settlements'],
    queryFn: () => get<Settlement[]>(`/v2/settlements?${everything}`),
    refetchInterval,
  })
  const models = useQuery({
    queryKey: ['models'],
    queryFn: () => get<Model[]>('/settlementModels'),
  })
  return (
    <Page title="Settlement">
      <Card title="Windows">
        <Loaded query={windows}>
          {(all) => <Windows windows={all} models={(models.data ?? []).filter(isSettled)} />}
        </Loaded>
      </Card>
      <Card title="Settlements">
        <Loaded query={settlements}>
          {(all) =>
            all.length === 0 ? (
              <p>Nothing has been settled yet.</p>
            ) : (
              all.map((settlement) => <OneSettlement key={settlement.id} settlement={settlement} />)
            )
          }
        </Loaded>
      </Card>
    </Page>
  )
}

/** The others settle each transfer by itself. */
function isSettled({ isActive, settlementGranularity, settlementDelay }: Model): boolean {
  return isActive && settlementGranularity === 'NET' && settlementDelay === 'DEFERRED'
}

function Windows({ windows, models }: { windows: readonly Window[]; models: readonly Model[] }) {
  return (
    <Table
      caption="Settlement windows, the newest first"
      head={['Window', 'State', 'Currencies', 'Changed', 'Next']}
      empty="There is no window."
    >
      {windows.map((window) => (
        <tr key={window.id}>
          <th scope="row">{window.id}</th>
          <td>
            <State state={window.state} /> {window.reason}
          </td>
          <td>{[...new Set(window.content.map(({ currencyId }) => currencyId))].join(', ')}</td>
          <td>
            <Time at={window.changedDate} />
          </td>
          <td>
            {canClose(window.state) && (
              <ActionButton
                label={`Close window ${window.id}`}
                run={() =>
                  call('POST', `/v2/settlementWindows/${window.id}`, {
                    state: 'CLOSED',
                    reason: 'closed in the console',
                  })
                }
              />
            )}
            {canSettle(window.state) &&
              models
                .filter((model) => hasContentFor(window, model))
                .map((model) => <SettleButton key={model.name} window={window} model={model} />)}
          </td>
        </tr>
      ))}
    </Table>
  )
}

function hasContentFor({ content }: Window, { currency }: Model): boolean {
  return content.some(
    ({ currencyId, state }) =>
      (state === 'CLOSED' || state === 'ABORTED') &&
      // A model without currency serves those that have none of their own.
      (currency === currencyId || currency === ''),
  )
}

function SettleButton({ window, model }: { window: Window; model: Model }) {
  return (
    <ActionButton
      label={`Settle window ${window.id} under ${model.name}`}
      run={() =>
        call('POST', '/v2/settlements', {
          settlementModel: model.name,
          reason: 'begun in the console',
          settlementWindows: [{ id: window.id }],
        })
      }
    />
  )
}

function OneSettlement({ settlement }: { settlement: Settlement }) {
  const { id, state, participants } = settlement
  const nameOf = useNamesByAccount()
  const accounts = participants.flatMap((participant) =>
    participant.accounts.map((account) => ({ participantId: participant.id, account })),
  )
  const step = settlementStep(accounts.map(({ account }) => account))
  const stepping = accounts.filter(
    ({ account }) => step !== undefined && nextStep(account.state ?? '') === step,
  )
  return (
    <section className="settlement" aria-label={`Settlement ${id}`}>
      <h3>
        Settlement {id} <State state={state} />
      </h3>
      <p>
        {settlement.settlementModel}, begun <Time at={settlement.createdDate} />, windows{' '}
        {settlement.settlementWindows.map((window) => window.id).join(', ')}: {settlement.reason}
      </p>
      <Table
        caption={`What is owed in settlement ${id}`}
        head={['Participant', 'Owes', 'Is owed', 'State']}
        empty="No account takes part."
      >
        {accounts.map(({ account }) => (
          <tr key={account.id}>
            <th scope="row">{nameOf(account.id)}</th>
            <NetCells account={account} />
            <td>
              <State state={account.state ?? ''} />
            </td>
          </tr>
        ))}
      </Table>
      {step !== undefined && (
        <ActionButton
          label={`${stepLabels[step]} settlement ${id}`}
          kind="primary"
          run={() => call('PUT', `/v2/settlements/${id}`, stepOf(stepping, step))}
        />
      )}
      {canAbort(
        state,
        accounts.map(({ account }) => account),
      ) && (
        <ActionButton
          label={`Abort settlement ${id}`}
          kind="danger"
          run={() =>
            call('PUT', `/v2/settlements/${id}`, {
              state: 'ABORTED',
              reason: 'aborted in the console',
            })
          }
        />
      )}
    </section>
  )
}

interface Stepping {
  readonly participantId: number
  readonly account: SettlementAccount
}

function stepOf(stepping: readonly Stepping[], state: AccountStep) {
  const reason = 'stepped in the console'
  const ids = [...new Set(stepping.map(({ participantId }) => participantId))]
  return {
    participants: ids.map((id) => ({
      id,
      accounts: stepping
        .filter(({ participantId }) => participantId === id)
        .map(({ account }) => ({ id: account.id, state, reason })),
    })),
  }
}

function NetCells({ account: { netSettlementAmount: net } }: { account: SettlementAccount }) {
  if (net === undefined) return <td colSpan={2}>–</td>
  const text = String(net.amount)
  const isOwed = text.startsWith('-')
  const cell = <Money amount={isOwed ? text.slice(1) : net.amount} currency={net.currency} />
  return (
    <>
      <td>{isOwed ? '' : cell}</td>
      <td>{isOwed ? cell : ''}</td>
    </>
  )
}

/** Settlements name accounts by number; the participants know whose they are. */
function useNamesByAccount(): (accountId: number) => string {
  const participants = useParticipants().data ?? []
  const names = new Map(
    participants.flatMap(({ name, accounts }) => accounts.map(({ id }) => [id, name] as const)),
  )
  return (accountId) => names.get(accountId) ?? `account ${accountId}`
}

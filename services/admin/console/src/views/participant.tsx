/** One participant: what it lacks, what it holds, and what an operator may change. */
import { useQuery } from '@tanstack/react-query'
import { call, get, Refusal } from '../api.ts'
import type { Amount } from '../domain/amounts.ts'
import {
  ActionButton,
  Card,
  ChangeForm,
  Loaded,
  Money,
  Page,
  State,
  Table,
  Time,
  type Values,
} from '../ui.tsx'
import {
  AccountsCard,
  accountsQuery,
  ReadinessCard,
  useParticipants,
  type Account,
} from './participants.tsx'

const pathOf = (name: string) => `/participants/${encodeURIComponent(name)}`

export function ParticipantPage({ name }: { name: string }) {
  const participants = useParticipants()
  const isActive = participants.data?.find((each) => each.name === name)?.isActive === 1
  const setActive = (active: boolean) => call('PUT', pathOf(name), { isActive: active })
  return (
    <Page title={name}>
      <p>
        <State state={isActive ? 'ACTIVE' : 'INACTIVE'} />{' '}
        {isActive ? (
          <ActionButton label="Disable" kind="danger" run={() => setActive(false)} />
        ) : (
          <ActionButton label="Enable" run={() => setActive(true)} />
        )}
      </p>
      <div className="cards">
        <AccountsCard name={name} />
        <ReadinessCard name={name} />
        <LimitCard name={name} />
        <FundsCard name={name} />
        <EndpointCard name={name} />
      </div>
    </Page>
  )
}

const settlementAccounts = (accounts: readonly Account[]) =>
  accounts.filter(({ ledgerAccountType }) => ledgerAccountType === 'SETTLEMENT')

function currenciesOf(accounts: readonly Account[]): readonly string[] {
  return [...new Set(settlementAccounts(accounts).map(({ currency }) => currency))]
}

function LimitCard({ name }: { name: string }) {
  const accounts = useQuery(accountsQuery(name))
  const change = async ({ currency, value }: Values<'currency' | 'value'>) => {
    const limit = { type: 'NET_DEBIT_CAP', value }
    try {
      await call('PUT', `${pathOf(name)}/limits`, { currency, limit })
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error
      // There is none yet: the first limit puts the account in use.
      await call('POST', `${pathOf(name)}/initialPositionAndLimits`, {
        currency,
        limit,
        initialPosition: 0,
      })
    }
  }
  return (
    <Card title="Limit">
      <Loaded query={accounts}>
        {(all) => (
          <ChangeForm
            fields={[
              { name: 'currency', label: 'Currency', options: currenciesOf(all) },
              { name: 'value', label: 'Net debit cap', inputMode: 'decimal' },
            ]}
            submit="Set limit"
            run={change}
          />
        )}
      </Loaded>
    </Card>
  )
}

function EndpointCard({ name }: { name: string }) {
  return (
    <Card title="Callback address">
      <ChangeForm
        fields={[{ name: 'value', label: 'FSPIOP_CALLBACK_URL', type: 'url' }]}
        submit="Set address"
        run={({ value }) =>
          call('POST', `${pathOf(name)}/endpoints`, { type: 'FSPIOP_CALLBACK_URL', value })
        }
      />
    </Card>
  )
}

interface Funds {
  readonly movements: readonly {
    readonly transferId: string
    readonly accountId: number
    readonly direction: 'IN' | 'OUT'
    readonly amount: Amount
    readonly currency: string
    readonly state: string
    readonly stateReason: string | null
    readonly createdDate: string
  }[]
}

const directions = {
  'In: the money has come': 'recordFundsIn',
  'Out: hold it first': 'recordFundsOutPrepareReserve',
} as const

type FundsField = 'direction' | 'currency' | 'amount' | 'reference' | 'reason'

function FundsCard({ name }: { name: string }) {
  const accounts = useQuery(accountsQuery(name))
  const funds = useQuery({
    queryKey: ['funds', name],
    queryFn: () => get<Funds>(`${pathOf(name)}/funds?limit=20`),
    refetchInterval: 5_000,
  })
  const record = (all: readonly Account[]) => (values: Values<FundsField>) => {
    const { currency, amount, reason } = values
    const account = settlementAccounts(all).find((each) => each.currency === currency)
    return call('POST', `${pathOf(name)}/accounts/${account?.id ?? 0}`, {
      transferId: crypto.randomUUID(),
      externalReference: values.reference,
      action: directions[values.direction as keyof typeof directions],
      reason,
      amount: { amount, currency },
    })
  }
  return (
    <Card title="Funds">
      <Loaded query={accounts}>
        {(all) => (
          <ChangeForm<FundsField>
            fields={[
              { name: 'direction', label: 'Direction', options: Object.keys(directions) },
              { name: 'currency', label: 'Currency', options: currenciesOf(all) },
              { name: 'amount', label: 'Amount', inputMode: 'decimal' },
              { name: 'reference', label: "Bank's reference" },
              { name: 'reason', label: 'Reason' },
            ]}
            submit="Record funds"
            run={record(all)}
            done="Accepted; the list says what became of it."
          />
        )}
      </Loaded>
      <Loaded query={funds}>
        {({ movements }) => (
          <Table
            caption={`Funds of ${name}`}
            head={['When', 'Direction', 'Amount', 'State', 'Next']}
            empty="No funds have moved yet."
          >
            {movements.map((movement) => (
              <tr key={movement.transferId}>
                <td>
                  <Time at={movement.createdDate} />
                </td>
                <td>{movement.direction}</td>
                <td>
                  <Money amount={movement.amount} currency={movement.currency} />
                </td>
                <td>
                  <State state={movement.state} /> {movement.stateReason}
                </td>
                <td>
                  {movement.direction === 'OUT' && movement.state === 'RESERVED' && (
                    <FundsOutButtons name={name} movement={movement} />
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
    </Card>
  )
}

function FundsOutButtons({
  name,
  movement: { accountId, transferId },
}: {
  name: string
  movement: Funds['movements'][number]
}) {
  const path = `${pathOf(name)}/accounts/${accountId}/transfers/${transferId}`
  const complete = (action: string, reason: string) => () => call('PUT', path, { action, reason })
  return (
    <>
      <ActionButton label="Paid out" run={complete('recordFundsOutCommit', 'the bank has paid')} />
      <ActionButton
        label="Give back"
        kind="danger"
        run={complete('recordFundsOutAbort', 'not paid out')}
      />
    </>
  )
}

/** A participant's limit, alarm threshold and addresses. */
import { useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call, ApiRefusal } from '../../api.ts'
import { ChangeForm, filled, type FormValues, type Way } from '../../change.tsx'
import { shownAmount } from '../../domain/amounts.ts'
import type { Account } from '../../generated/operator-api.ts'
import { Card, Loaded, Money, Table, Time } from '../../ui.tsx'
import { Addresses } from './addresses.tsx'
import { balancesQuery } from '../participants.tsx'

export function ParticipantSettings({ name }: { name: string }) {
  const balances = useQuery(balancesQuery(name))
  return (
    <>
      <Card title="Limits and alarm thresholds">
        <LimitTable name={name} />
        <Loaded query={balances}>{(all) => <LimitForm name={name} balances={all} />}</Loaded>
      </Card>
      <Card title="Excluded cover">
        <Reservations name={name} />
        <Loaded query={balances}>{(all) => <ReserveForm name={name} balances={all} />}</Loaded>
      </Card>
      <Addresses name={name} kind="callback" />
      <Addresses name={name} kind="e-mail" />
    </>
  )
}

function LimitTable({ name }: { name: string }) {
  const limits = useQuery({
    queryKey: ['limits', name],
    queryFn: () => call('GET /participants/{name}/limits', { name }),
  })
  return (
    <Loaded query={limits}>
      {(all) => (
        <Table
          caption={`Limits of ${name}`}
          head={['Currency', '#Net debit cap', '#Alarm threshold']}
          empty="No limit yet, so this participant cannot pay: set the first one below."
          rows={all.map(({ currency, limit }) => ({
            key: currency,
            cells: [
              currency,
              <Money key="cap" amount={limit.value} currency={currency} />,
              `${limit.alarmPercentage} %`,
            ],
          }))}
        />
      )}
    </Loaded>
  )
}

type LimitField = 'currency' | 'value' | 'alarmPercentage'

function LimitForm({ name, balances }: { name: string; balances: readonly Account[] }) {
  const { may } = useOperator()
  const positions = balances.filter(({ ledgerAccountType: type }) => type === 'POSITION')
  if (positions.length === 0) return null
  const confirm = ({ currency, value, alarmPercentage }: FormValues<LimitField>) => ({
    title: `Change the limit of ${name}?`,
    text: (
      <>
        <p className="sum">
          {name} may owe up to {shownAmount(value, currency)} {currency}
        </p>
        <p>
          {alarmPercentage === ''
            ? 'The alarm threshold stays the same.'
            : `An alarm is sent when ${alarmPercentage} % of it remain.`}{' '}
          Reserved amounts are not affected.
        </p>
      </>
    ),
  })
  const atOnce: Way<LimitField> = {
    label: 'Set limit',
    confirm,
    run: (values) => setLimit(name, values),
    done: 'The limit is in force.',
  }
  const asked: Way<LimitField> = {
    label: 'Submit for approval',
    confirm,
    run: (values, id) => askForLimit(name, positions, values, id),
    done: 'Submitted. Another operator finds it under Approvals.',
  }
  const mayAsk = may('CREATE_UPDATE_ACCOUNT_LIMIT') && may('CREATE_UPDATE_ACCOUNT_THRESHOLD')
  const ways = [...(may('MANAGE_PARTICIPANTS') ? [atOnce] : []), ...(mayAsk ? [asked] : [])]
  if (ways.length === 0) return null
  return (
    <ChangeForm<LimitField>
      fields={[
        { name: 'currency', label: 'Currency', options: positions.map((each) => each.currency) },
        { name: 'value', label: 'Net debit cap', inputMode: 'decimal' },
        {
          name: 'alarmPercentage',
          label: 'Alarm threshold, % remaining',
          inputMode: 'decimal',
          optional: true,
          hint: 'from 0 to 100; unchanged if empty',
        },
      ]}
      ways={ways}
    />
  )
}

async function setLimit(
  name: string,
  { currency, value, alarmPercentage }: FormValues<LimitField>,
) {
  const limit = { type: 'NET_DEBIT_CAP', value, ...filled({ alarmPercentage }) }
  try {
    await call('PUT /participants/{name}/limits', { name, body: { currency, limit } })
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 404) throw error
    // The first limit activates the account.
    const first = { currency, limit, initialPosition: 0 }
    await call('POST /participants/{name}/initialPositionAndLimits', { name, body: first })
  }
}

/** The limit and the threshold are two requests. */
async function askForLimit(
  participantId: string,
  positions: readonly Account[],
  { currency, value, alarmPercentage }: FormValues<LimitField>,
  id: string,
) {
  const accountId = positions.find((each) => each.currency === currency)?.id ?? 0
  const of = { participantId, accountId }
  const limit = { requestId: `${id}.limit`, type: 'NET_DEBIT_CAP', value }
  await call('POST /UpdateAccountLimit', { body: { ...of, ...limit } })
  if (alarmPercentage === '') return
  const warning = { requestId: `${id}.warning`, alarmPercentage }
  await call('POST /UpdateAccountThreshold', { body: { ...of, ...warning } })
}

function Reservations({ name }: { name: string }) {
  const reservations = useQuery({
    queryKey: ['reservations', name],
    queryFn: () => call('GET /GetReservations', { participantId: name }),
  })
  return (
    <Loaded query={reservations}>
      {(all) => (
        <Table
          caption={`Excluded parts of the cover of ${name}`}
          head={['Currency', '#Amount', 'As', 'Since']}
          empty="Payments may use the whole cover."
          rows={all.map((one) => ({
            key: one.reservationId,
            cells: [
              one.currency,
              <Money key="amount" amount={one.resolvedAmount} currency={one.currency} />,
              one.mode === 'PERCENT' ? `${one.value} % at approval` : 'an amount',
              <Time key="since" at={one.since} />,
            ],
          }))}
        />
      )}
    </Loaded>
  )
}

type ReserveField = 'currency' | 'mode' | 'value'

function ReserveForm({ name, balances }: { name: string; balances: readonly Account[] }) {
  const { may } = useOperator()
  const currencies = [...new Set(balances.map(({ currency }) => currency))]
  if (currencies.length === 0 || !may('CREATE_RESERVE_LIQUIDITY_COVER')) return null
  return (
    <ChangeForm<ReserveField>
      fields={[
        { name: 'currency', label: 'Currency', options: currencies },
        { name: 'mode', label: 'As', options: ['AMOUNT', 'PERCENT'] },
        { name: 'value', label: 'Value', inputMode: 'decimal', hint: '0 ends the exclusion' },
      ]}
      ways={[
        {
          label: 'Submit for approval',
          run: (values, requestId) =>
            call('POST /ReserveLiquidityCover', {
              body: { requestId, participantId: name, ...values },
            }),
          done: 'Submitted. Another operator finds it under Approvals.',
        },
      ]}
    />
  )
}

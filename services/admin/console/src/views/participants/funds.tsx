/** Funds of a participant: funds in, and funds out in two steps, reserve and commit. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { AskButton, ChangeForm, type FormValues, type Way } from '../../change.tsx'
import { shownAmount } from '../../domain/amounts.ts'
import type { Account, FundsMovement } from '../../generated/operator-api.ts'
import { More } from '../../search.tsx'
import { Card, Loaded, Loading, Money, Problem, State, Table, Time } from '../../ui.tsx'
import { balancesQuery } from '../participants.tsx'

type Field = 'direction' | 'currency' | 'amount' | 'reference' | 'reason'

/** The form's choice, and the names of the two calls. */
const directions = {
  'Funds in': {
    action: 'recordFundsIn',
    direction: 'DEPOSIT',
    effect: 'more cover at once',
  },
  'Funds out, reserved first': {
    action: 'recordFundsOutPrepareReserve',
    direction: 'WITHDRAWAL',
    effect: 'less cover at once; reserved until the payout is confirmed or released',
  },
} as const

const directionOf = (values: FormValues<Field>) =>
  directions[values.direction as keyof typeof directions]

export function Funds({ name }: { name: string }) {
  const { may } = useOperator()
  const balances = useQuery(balancesQuery(name))
  const mayMove = may('MANAGE_FUNDS') || may('CREATE_MANAGE_FUNDS')
  return (
    <>
      {mayMove && (
        <Card title="Record funds">
          <Loaded query={balances}>{(all) => <FundsForm name={name} balances={all} />}</Loaded>
        </Card>
      )}
      <Card title="Funds in and out">
        <MovementList name={name} />
      </Card>
    </>
  )
}

function FundsForm({ name, balances }: { name: string; balances: readonly Account[] }) {
  const { may } = useOperator()
  const settlement = balances.filter(({ ledgerAccountType: type }) => type === 'SETTLEMENT')
  const currencies = [...new Set(settlement.map(({ currency }) => currency))]
  if (currencies.length === 0) return <p>This participant has no settlement account for funds.</p>
  const idIn = (currency: string) => settlement.find((each) => each.currency === currency)?.id ?? 0
  const confirm = (asking: string) => (values: FormValues<Field>) => ({
    title: asking,
    text: <Sentence name={name} values={values} />,
  })
  const atOnce: Way<Field> = {
    label: 'Record funds',
    confirm: confirm('Record these funds?'),
    run: (values, transferId) =>
      call('POST /participants/{name}/accounts/{id}', {
        name,
        id: idIn(values.currency),
        body: {
          transferId,
          externalReference: values.reference,
          action: directionOf(values).action,
          reason: values.reason,
          amount: { amount: values.amount, currency: values.currency },
        },
      }),
    done: 'Recorded; see the state in the list below.',
  }
  const asked: Way<Field> = {
    label: 'Submit for approval',
    confirm: confirm('Submit these funds for approval?'),
    run: (values, requestId) =>
      call('POST /ManageFunds', {
        body: {
          requestId,
          participantId: name,
          accountId: idIn(values.currency),
          direction: directionOf(values).direction,
          amount: { amount: values.amount, currency: values.currency },
          externalReference: values.reference,
          reason: values.reason,
        },
      }),
    done: 'Submitted. Another operator finds it under Approvals.',
  }
  return (
    <ChangeForm<Field>
      fields={[
        { name: 'direction', label: 'Direction', options: Object.keys(directions) },
        { name: 'currency', label: 'Currency', options: currencies },
        { name: 'amount', label: 'Amount', inputMode: 'decimal', hint: 'as 1500 or 1500.5' },
        { name: 'reference', label: 'Bank reference' },
        { name: 'reason', label: 'Reason' },
      ]}
      ways={[
        ...(may('MANAGE_FUNDS') ? [atOnce] : []),
        ...(may('CREATE_MANAGE_FUNDS') ? [asked] : []),
      ]}
    />
  )
}

function Sentence({ name, values }: { name: string; values: FormValues<Field> }) {
  const { direction, effect } = directionOf(values)
  return (
    <>
      <p className="sum">
        <Money amount={values.amount} currency={values.currency} />{' '}
        {direction === 'DEPOSIT' ? 'in for' : 'out to'} {name}
      </p>
      <p>
        Bank reference {values.reference}: {values.reason}. Effect: {effect}.
      </p>
    </>
  )
}

function MovementList({ name }: { name: string }) {
  const list = useInfiniteQuery({
    queryKey: ['funds', name],
    queryFn: ({ pageParam: cursor }) =>
      call('GET /participants/{name}/funds', { name, limit: '50', cursor }),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
    refetchInterval: 5_000,
  })
  if (list.isPending) return <Loading />
  const movements = list.data?.pages.flatMap((page) => page.movements) ?? []
  return (
    <>
      {list.isError && <Problem error={list.error} />}
      <Table
        caption={`Funds of ${name}, newest first`}
        head={['Time', 'Direction', '#Amount', 'State', 'Reference and reason', 'Next']}
        empty="No funds have moved yet."
        rows={movements.map((movement) => ({
          key: movement.transferId,
          cells: [
            <Time key="when" at={movement.createdDate} />,
            movement.direction,
            <Money key="amount" amount={movement.amount} currency={movement.currency} />,
            <MovementState key="state" of={movement} />,
            <>
              {movement.externalReference}
              <br />
              <small>{movement.reason}</small>
            </>,
            <OutButtons key="next" name={name} movement={movement} />,
          ],
        }))}
      />
      <More label="Older funds" of={list} />
    </>
  )
}

function MovementState({ of: { state, stateReason, expiryDate } }: { of: FundsMovement }) {
  return (
    <>
      <State state={state} /> {stateReason}
      {state === 'RESERVED' && expiryDate !== null && (
        <div>
          <small>until</small> <Time at={expiryDate} />
        </div>
      )}
    </>
  )
}

/** Reserved funds wait for a decision. */
function OutButtons({ name, movement }: { name: string; movement: FundsMovement }) {
  const { may } = useOperator()
  const { direction, state, accountId, transferId, amount, currency } = movement
  if (direction !== 'OUT' || state !== 'RESERVED') return null
  if (!may('MANAGE_FUNDS')) return 'A treasurer must confirm or release it.'
  const end = (action: string) => (values: FormValues<'reason'>) =>
    call('PUT /participants/{name}/accounts/{id}/transfers/{transferId}', {
      name,
      id: accountId,
      transferId,
      body: { action, reason: values.reason },
    })
  const sum = `${shownAmount(amount, currency)} ${currency}`
  return (
    <>
      <AskButton<'reason'>
        label="Confirm payout"
        kind="primary"
        title={`Has the bank paid ${sum} to ${name}?`}
        text={<p>The money leaves the scheme; this cannot be undone.</p>}
        fields={[{ name: 'reason', label: 'Reason', initial: 'the bank has paid' }]}
        way={{ label: 'Yes, confirm payout', run: end('recordFundsOutCommit') }}
      />
      <AskButton<'reason'>
        label="Release"
        kind="danger"
        title={`Release ${sum} to the cover of ${name}?`}
        text={<p>Only if the bank has not paid it.</p>}
        fields={[{ name: 'reason', label: 'Reason', initial: 'not paid out' }]}
        way={{ label: 'Yes, release it', run: end('recordFundsOutAbort'), isDangerous: true }}
      />
    </>
  )
}

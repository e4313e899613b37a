/** Who takes part: ready or not, and how much of what they may owe they owe now. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get } from '../api.ts'
import { barOf, isNegative, magnitude, shownAmount, type Amount } from '../domain/amounts.ts'
import { Card, Loaded, Money, Page, State, Table } from '../ui.tsx'
import { Onboarding } from './onboarding.tsx'

export interface Participant {
  readonly name: string
  readonly isActive: 0 | 1
  readonly accounts: readonly {
    readonly id: number
    readonly ledgerAccountType: string
    readonly currency: string
    readonly isActive: 0 | 1
  }[]
}

export interface Account {
  readonly id: number
  readonly ledgerAccountType: string
  readonly currency: string
  readonly isActive: 0 | 1
  readonly value: Amount
}

interface Limit {
  readonly name: string
  readonly currency: string
  readonly limit: { readonly value: Amount }
}

interface Readiness {
  readonly ready: boolean
  readonly items: readonly { readonly item: string; readonly ok: boolean; readonly text: string }[]
}

const refetchInterval = 5_000

export const useParticipants = () =>
  useQuery({ queryKey: ['participants'], queryFn: () => get<Participant[]>('/participants') })

export const readinessQuery = (name: string) => ({
  queryKey: ['readiness', name],
  queryFn: () => get<Readiness>(`/participants/${encodeURIComponent(name)}/readiness`),
})

export const accountsQuery = (name: string) => ({
  queryKey: ['accounts', name],
  queryFn: () => get<Account[]>(`/participants/${encodeURIComponent(name)}/accounts`),
  refetchInterval,
})

export const limitsQuery = {
  queryKey: ['limits'],
  queryFn: () => get<Limit[]>('/participants/limits'),
  refetchInterval,
}

/** The hub owns accounts of its own kind; it is nobody's FSP. */
export function isHub({ accounts }: Participant): boolean {
  return accounts.some(({ ledgerAccountType }) => ledgerAccountType.startsWith('HUB_'))
}

export function Participants() {
  const participants = useParticipants()
  return (
    <Page title="Participants">
      <Loaded query={participants}>
        {(all) => <ParticipantTable participants={all.filter((each) => !isHub(each))} />}
      </Loaded>
      <Onboarding />
    </Page>
  )
}

function ParticipantTable({ participants }: { participants: readonly Participant[] }) {
  const readiness = useQueries({ queries: participants.map(({ name }) => readinessQuery(name)) })
  return (
    <Table
      caption="FSPs of the scheme"
      head={['Name', 'State', 'Readiness', 'Position, limit and cover']}
      empty="No FSP has joined yet."
    >
      {participants.map((participant, at) => {
        const { name, isActive } = participant
        const data = readiness[at]?.data
        const missing = data?.items.filter(({ ok }) => !ok).length ?? 0
        return (
          <tr key={name}>
            <th scope="row">
              <Link href={`/participants/${encodeURIComponent(name)}`}>{name}</Link>
            </th>
            <td>
              <State state={isActive === 1 ? 'ACTIVE' : 'INACTIVE'} />
            </td>
            <td>
              {data === undefined ? (
                '…'
              ) : data.ready ? (
                <State state="READY" />
              ) : (
                <>
                  <State state="NOT READY" /> {missing} missing
                </>
              )}
            </td>
            <td>
              <Bars name={name} />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

/** One bar for each currency. */
export function Bars({ name }: { name: string }) {
  const accounts = useQuery(accountsQuery(name)).data ?? []
  const limits = useQuery(limitsQuery).data ?? []
  const positions = accounts.filter(({ ledgerAccountType }) => ledgerAccountType === 'POSITION')
  return positions.map(({ currency, value }) => {
    const settlement = accounts.find(
      (each) => each.ledgerAccountType === 'SETTLEMENT' && each.currency === currency,
    )
    const limit = limits.find((each) => each.name === name && each.currency === currency)
    return (
      <PositionBar
        key={currency}
        currency={currency}
        position={value}
        cap={limit?.limit.value}
        cover={coverOf(settlement?.value ?? 0)}
      />
    )
  })
}

/** What the hub owes a participant on its settlement account is below zero there, and its cover. */
function coverOf(settlement: Amount): Amount {
  if (isNegative(settlement)) return magnitude(settlement)
  return String(settlement) === '0' ? 0 : `-${settlement}`
}

function PositionBar({
  currency,
  position,
  cap,
  cover,
}: {
  currency: string
  position: Amount
  cap: Amount | undefined
  cover: Amount
}) {
  const bar = barOf(position, cap ?? 0, cover)
  const level = bar.usedPercent >= 90 ? 'full' : bar.usedPercent >= 70 ? 'high' : 'low'
  const capText = cap === undefined ? 'no limit in force' : `limit ${shownAmount(cap)}`
  const text = `${currency}: position ${shownAmount(position)}, ${capText}, cover ${shownAmount(cover)}`
  return (
    <figure className="bar">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
        <rect className="cover" x="0" y="1" width={bar.cover} height="8" rx="1" />
        <rect className={`used ${level}`} x="0" y="3" width={bar.used} height="4" />
        {cap !== undefined && (
          <line className="cap" x1={bar.cap} x2={bar.cap} y1="0" y2="10" />
        )}
      </svg>
      <figcaption aria-hidden="true">{text}</figcaption>
    </figure>
  )
}

/** Everybody's bars, without the rest. */
export function Standing() {
  const participants = useParticipants()
  return (
    <Card title="Positions against limits and cover">
      <Loaded query={participants}>
        {(all) => {
          const fsps = all.filter((each) => !isHub(each))
          if (fsps.length === 0) return <p>No FSP has joined yet.</p>
          return (
            <ul className="standing">
              {fsps.map(({ name }) => (
                <li key={name}>
                  <Link href={`/participants/${encodeURIComponent(name)}`}>{name}</Link>
                  <Bars name={name} />
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}

export function ReadinessCard({ name }: { name: string }) {
  const readiness = useQuery(readinessQuery(name))
  return (
    <Card title="Readiness">
      <Loaded query={readiness}>
        {({ ready, items }) => (
          <>
            <p>
              <State state={ready ? 'READY' : 'NOT READY'} />
            </p>
            <ul className="checklist">
              {items.map(({ item, ok, text }) => (
                <li key={item} className={ok ? 'ok' : 'missing'}>
                  <strong>{ok ? 'Has' : 'Lacks'}</strong> {item}: {text}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Card>
  )
}

export function AccountsCard({ name }: { name: string }) {
  const accounts = useQuery(accountsQuery(name))
  return (
    <Card title="Accounts">
      <Loaded query={accounts}>
        {(all) => (
          <Table
            caption={`Accounts of ${name}`}
            head={['Id', 'Type', 'Balance', 'State']}
            empty="It has no accounts."
          >
            {all.map(({ id, ledgerAccountType, currency, value, isActive }) => (
              <tr key={id}>
                <td>{id}</td>
                <td>{ledgerAccountType}</td>
                <td>
                  <Money amount={value} currency={currency} />
                </td>
                <td>
                  <State state={isActive === 1 ? 'ACTIVE' : 'INACTIVE'} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
      <Bars name={name} />
    </Card>
  )
}

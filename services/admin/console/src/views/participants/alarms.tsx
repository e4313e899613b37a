/** Active alarms, their thresholds, and the e-mail recipients. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import { participantPath } from '../../domain/address.ts'
import type { Alarm } from '../../generated/operator-api.ts'
import { Card, Loaded, Money, Page, State, Table, Time } from '../../ui.tsx'
import { Addresses } from './addresses.tsx'
import { FspLink, isHub, useParticipants } from '../participants.tsx'

const meanings: Readonly<Record<Alarm['kind'], string>> = {
  THRESHOLD: 'position near its limit',
  LIMIT: 'payments refused for lack of liquidity',
}

export const alarmsQuery = (participantId = '') => ({
  queryKey: ['alarms', participantId],
  queryFn: () => call('GET /alarms', { participantId }),
  refetchInterval: 10_000,
})

export function useAlarms() {
  const { may } = useOperator()
  return useQuery({ ...alarmsQuery(), enabled: may('VIEW_PARTICIPANTS') })
}

export function Alarms() {
  const limits = useQuery({
    queryKey: ['limits'],
    queryFn: () => call('GET /participants/limits'),
  })
  const hub = useParticipants().data?.find(isHub)
  return (
    <Page title="Alarms">
      <Card title="Active alarms">
        <Loaded query={useAlarms()}>{(all) => <AlarmTable alarms={all} />}</Loaded>
      </Card>
      <Card title="Alarm thresholds">
        <Loaded query={limits}>
          {(all) => (
            <Table
              caption="Limits in force"
              head={['Participant', '#Net debit cap', '#Alarm threshold', 'Next']}
              empty="No participant has a limit in force."
              rows={all.map(({ name, currency, limit }) => ({
                key: `${name} ${currency}`,
                cells: [
                  <FspLink key="name" name={name} />,
                  <Money key="cap" amount={limit.value} currency={currency} />,
                  `${limit.alarmPercentage} %`,
                  <Link key="next" href={participantPath(name, '/settings')}>
                    Change<span className="unseen"> the limit of {name}</span>
                  </Link>,
                ],
              }))}
            />
          )}
        </Loaded>
      </Card>
      {hub !== undefined && <Addresses name={hub.name} kind="e-mail" />}
      <p>
        Notifications of an FSP go to the addresses under “Limits and addresses” of that
        participant.
      </p>
    </Page>
  )
}

export function AlarmTable({ alarms }: { alarms: readonly Alarm[] }) {
  return (
    <Table
      caption="Each alarm is sent once, and again after it has cleared"
      head={['Participant', 'Alarm', '#Limit', 'Since', 'Last sent', '#Times sent']}
      empty="No active alarms."
      rows={alarms.map((alarm) => ({
        key: `${alarm.accountId} ${alarm.kind}`,
        cells: [
          <FspLink key="name" name={alarm.participantId} />,
          <>
            <State state={alarm.kind} /> {meanings[alarm.kind]}
          </>,
          <Money key="limit" amount={alarm.limit} currency={alarm.currency} />,
          <Time key="first" at={alarm.firstAt} />,
          <Time key="last" at={alarm.lastNotifiedAt} />,
          alarm.notifications,
        ],
      }))}
    />
  )
}

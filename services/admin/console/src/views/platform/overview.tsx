/** The overview: pending work, current activity, and participants close to their limits. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useOperator } from '../../access.ts'
import { Card, Page } from '../../ui.tsx'
import { useAlarms } from '../participants/alarms.tsx'
import { usePending } from '../access/approvals.tsx'
import { useDeadLetters } from './dead-letters.tsx'
import { Live } from '../payments/live.tsx'
import { Positions } from '../participants.tsx'

export function Overview() {
  const { may } = useOperator()
  return (
    <Page title="Overview">
      <Waiting />
      {may('VIEW_TRANSFERS') && <Live />}
      {may('VIEW_PARTICIPANTS') && <Positions />}
    </Page>
  )
}

/** Pending work; without what the operator may not see. */
function Waiting() {
  const { may } = useOperator()
  const alarms = useAlarms()
  const pending = usePending()
  const approvals = { isError: pending.isError, data: pending.data?.requests }
  const letters = useDeadLetters()
  return (
    <Card title="Needs attention">
      <ul className="waiting">
        {may('VIEW_PARTICIPANTS') && <Count path="/alarms" name="alarms" query={alarms} />}
        {may('VIEW_PENDING') && <Count path="/approvals" name="approvals" query={approvals} />}
        {may('VIEW_DELIVERIES') && (
          <Count path="/dead-letters" name="failed deliveries" query={letters} />
        )}
      </ul>
    </Card>
  )
}

function Count({
  path,
  name,
  query,
}: {
  path: string
  name: string
  query: Pick<UseQueryResult, 'isError'> & { readonly data: readonly unknown[] | undefined }
}) {
  const count = query.data?.length
  return (
    <li className={count === 0 ? 'none' : 'some'}>
      <Link href={path}>
        <strong>{query.isError ? 'unknown' : (count ?? '…')}</strong> {name}
      </Link>
    </li>
  )
}

/** Current activity: number and latency of payments. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../api.ts'
import { Card, Loaded } from '../../ui.tsx'

const points_max = 60

export function Live() {
  const activity = useQuery({
    queryKey: ['activity'],
    queryFn: () => call('GET /transfers/activity'),
    refetchInterval: 2_000,
  })
  const rates = useHistory(activity.data?.perSecond, activity.dataUpdatedAt)
  return (
    <Card title="Live">
      <Loaded query={activity}>
        {(now) => (
          <>
            <dl className="figures">
              <Figure name="Payments per second" value={String(now.perSecond)} />
              <Figure name="Median latency" value={msText(now.latency_ms?.p50)} />
              <Figure name="95 % within" value={msText(now.latency_ms?.p95)} />
              <Figure name="99 % within" value={msText(now.latency_ms?.p99)} />
            </dl>
            <p>
              In the last {now.seconds} s: {now.received} received, {now.committed} paid,{' '}
              {now.aborted} refused, {now.open} in progress.
            </p>
            <Sparkline rates={rates} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

function msText(ms: number | undefined): string {
  return ms === undefined ? '–' : `${ms} ms`
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** The last two minutes, as long as the page is open. */
function useHistory(rate: number | undefined, at: number): readonly number[] {
  const [rates, setRates] = useState<readonly number[]>([])
  useEffect(() => {
    if (rate !== undefined) setRates((before) => [...before, rate].slice(-points_max))
  }, [rate, at])
  return rates
}

function Sparkline({ rates }: { rates: readonly number[] }) {
  const highest = Math.max(...rates, 1)
  const points = rates.map((rate, at) => {
    const x = 100 - ((rates.length - 1 - at) * 100) / (points_max - 1)
    return `${x},${29 - (rate / highest) * 27}`
  })
  const label = `Payments per second since the page was opened; at most ${highest}`
  return (
    <svg className="spark" viewBox="0 0 100 30" preserveAspectRatio="none" role="img">
      <title>{label}</title>
      <polyline points={points.join(' ')} />
    </svg>
  )
}

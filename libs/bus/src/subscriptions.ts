/** The subscriptions of a process, for both engines: the topics of each and its metrics. */
import type { Metrics } from '@causeway/process'
import { Gauge } from 'prom-client'

/** A subscription as it is measured. */
export interface Measured {
  readonly group: string
  readonly topics: readonly string[]
  unfinished(): number
  lag_ms(): number
}

/**
 * Only one subscription of a process moves the offset of a group in a topic: throws for a second one.
 */
export function claim(claimed: Set<string>, group: string, topics: readonly string[]): void {
  const taken = topics.find((topic) => claimed.has(`${group} ${topic}`))
  if (topics.length === 0) throw new Error(`the group ${group} subscribes to no topic`)
  if (taken !== undefined) throw new Error(`the group ${group} reads the topic ${taken} already`)
  for (const topic of topics) claimed.add(`${group} ${topic}`)
}

export function release(claimed: Set<string>, group: string, topics: readonly string[]): void {
  for (const topic of topics) claimed.delete(`${group} ${topic}`)
}

export function measure(metrics: Metrics, members: ReadonlySet<Measured>): void {
  const gauge = (name: string, help: string, read: (member: Measured) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['group', 'topics'],
      registers: [metrics],
      collect() {
        this.reset()
        for (const member of members) {
          this.set({ group: member.group, topics: member.topics.join() }, read(member))
        }
      },
    })
  gauge('bus_unfinished', 'Messages queued or in work', (member) => member.unfinished())
  gauge('bus_lag_seconds', 'Age of the oldest unfinished message', (m) => m.lag_ms() / 1000)
}

/** The longest of the defined durations; undefined when there is none. */
export function longest(times_ms: readonly (number | undefined)[]): number | undefined {
  const known = times_ms.filter((time_ms) => time_ms !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

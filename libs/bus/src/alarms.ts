/** Alarms: what stalls the bus until an operator acts. Each is a log line with ALARM and a counter. */
import type { Logger, Metrics } from '@causeway/process'
import { Counter } from 'prom-client'

export type AlarmKind =
  /**
   * PostgreSQL, Kafka or another service refuses this process: its login, certificate or rights.
   */
  | 'REFUSED'
  /** Every message of a batch fails in the same way, so the messages are not the cause. */
  | 'ALL_FAIL'
  /** A message has a type, a value or a reason that this release does not know. */
  | 'NEWER_RELEASE'
  /** A dead letter cannot be stored. */
  | 'DEAD_LETTER_NOT_STORED'
  /** The log has deleted messages that the group had not read. */
  | 'DELETED_UNREAD'

const sentences: Readonly<Record<AlarmKind, string>> = {
  REFUSED: 'ALARM refused until an operator repairs it: tried again',
  ALL_FAIL: 'ALARM every message of a batch fails alike: no dead letters, all are tried again',
  NEWER_RELEASE: 'ALARM a message of a newer release waits for a process that understands it',
  DEAD_LETTER_NOT_STORED: 'ALARM a dead letter cannot be stored: tried again',
  DELETED_UNREAD: 'ALARM messages were deleted before the group had read them',
}

/** @param tries of a repeated alarm; it is counted each time, and logged now and then */
export type Alarm = (kind: AlarmKind, about: object, tries?: number) => void

const logged_every = 30

/** For the groups of a process. */
export function openAlarms(metrics: Metrics): (group: string, log: Logger) => Alarm {
  const counter = new Counter({
    name: 'bus_alarms_total',
    help: 'Times that a group could not continue without an operator',
    labelNames: ['group', 'kind'],
    registers: [metrics],
  })
  return (group, log) =>
    (kind, about, tries = 1) => {
      counter.inc({ group, kind })
      if (tries % logged_every === 1) log.error({ alarm: kind, group, ...about }, sentences[kind])
    }
}

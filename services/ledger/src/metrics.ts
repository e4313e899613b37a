/** Metrics of the ledger: batch sizes, answers, and clocks that run ahead. */
import { openClockWatch, type Logger, type Metrics } from '@causeway/process'
import { Counter, Histogram } from 'prom-client'
import type { Command } from './domain/command.ts'
import type { CommandAnswer } from './domain/book.ts'

export function measureLedger(
  metrics: Metrics,
  log: Logger,
): (commands: readonly Command[], answers: readonly CommandAnswer[], now: Date) => void {
  const watchClock = openClockWatch({
    metrics,
    log,
    counter: 'participant_lifecycle_ledger_receipts_ahead_total',
    clock: "the ledger's database",
  })
  const sizes = new Histogram({
    name: 'participant_lifecycle_ledger_batch_items',
    help: 'Items that the ledger took into one transaction.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
    registers: [metrics],
  })
  const answered = new Counter({
    name: 'participant_lifecycle_ledger_answers_total',
    help: 'Answers of the ledger by command, outcome and reason.',
    labelNames: ['command', 'outcome', 'reason'],
    registers: [metrics],
  })
  return (commands, answers, now) => {
    sizes.observe(commands.length)
    const now_ms = now.getTime()
    for (const command of commands) {
      if (command.type === 'POST') watchClock(command.id, command.receivedAt.getTime(), now_ms)
    }
    for (const [labels, count] of countsOf(commands, answers)) answered.inc(labels, count)
  }
}

type Labels = Record<'command' | 'outcome' | 'reason', string>

/** Updating a counter costs more than a decision, so each combination is counted once per batch. */
function countsOf(
  commands: readonly Command[],
  answers: readonly CommandAnswer[],
): readonly (readonly [Labels, number])[] {
  const counts = new Map<string, [Labels, number]>()
  for (const [index, { type }] of commands.entries()) {
    const answer = answers[index]
    if (answer === undefined) continue
    const outcome = answer.type === 'ENTRY' ? answer.entry.outcome : answer.type
    const reason = reasonOf(answer)
    const key = `${type} ${outcome} ${reason}`
    const count = counts.get(key)
    if (count === undefined) counts.set(key, [{ command: type, outcome, reason }, 1])
    else count[1]++
  }
  return [...counts.values()]
}

/** Reasons of refusals alone are labels. */
function reasonOf(answer: CommandAnswer): string {
  if (answer.type === 'DECLINE') return answer.reason
  return answer.type === 'ENTRY' && answer.entry.outcome === 'REFUSED'
    ? (answer.entry.reason ?? '')
    : ''
}

/** Whether each group of the embedded bus has finished what was announced for it. */
import type { SqlServer } from '../../sql/server.ts'
import { rest } from '../../virtual/world.ts'

const backlogStatement = `
  select o.group_name as "group", o.topic, count(*)::integer as events
  from bus.offsets o join bus.log l on l.topic = o.topic and l.n > greatest(o.n, $1::bigint)
  group by o.group_name, o.topic order by 1, 2`
const lastStatement = `select coalesce(max(n), 0)::text as n from bus.log`

interface Behind {
  readonly group: string
  readonly topic: string
  readonly events: number
}

const look_ms = 500
/** Longer than the pause after many attempts that failed. */
const longest_ms = 60_000

export class Backlog {
  /** The last event that was looked at; the next history begins behind it. */
  #from = '0'

  /** Everything that is wrong, as sentences. */
  async judge(server: SqlServer): Promise<readonly string[]> {
    const read = () => server.read<Behind>(backlogStatement, [this.#from])
    let behind = await read()
    for (let waited_ms = 0; behind.length > 0 && waited_ms < longest_ms; waited_ms += look_ms) {
      await rest(look_ms)
      behind = await read()
    }
    const [last] = await server.read<{ readonly n: string }>(lastStatement, [])
    this.#from = last?.n ?? this.#from
    return behind.map(
      ({ group, topic, events }) => `${group} has not finished ${events} events of ${topic}`,
    )
  }
}

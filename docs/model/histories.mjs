/**
 * Histories that the services replay: of each kind of step, by what it does to which state, the shortest
 * one. So each rule of the model is compared with the code where it matters, in few histories.
 */

/** @param steps each with the path to it (`before`), the action, and the state after it */
export function historiesOf(steps) {
  const shortest = new Map()
  for (const step of steps) {
    const kind = kindOf(step)
    if (!shortest.has(kind)) shortest.set(kind, [...pathOf(step.before), shown(step)])
  }
  const all = [...shortest.values()]
  // What is the beginning of another history is replayed with it.
  const isBeginning = (history) =>
    all.some((other) => other !== history && history.every((step, at) => other[at] === step))
  return all.filter((history) => !isBeginning(history))
}

function pathOf(state) {
  const back = []
  for (let at = state; at.from !== undefined; at = at.from) back.push(shown(at))
  return back.toReversed()
}

/** `deliver Prepare 1 at 0 AfterLedger: Received Held 0, NoRow NoEntry 0`: of each transfer row, entry, ends. */
function shown({ action, state: { stored } }) {
  const { rows, entries, ends } = stored
  const transfers = Object.keys(rows).map((t) => `${rows[t]} ${entries[t]} ${ends[t]}`)
  return `${textOf(action)}: ${transfers.join(', ')}`
}

function textOf(action) {
  if (action === 'Tick') return 'tick'
  if (action.Sweep !== undefined) return `sweep ${action.Sweep}`
  const { Send: sent, Deliver: delivered } = action
  if (sent !== undefined) return `send ${sent.kind} ${sent.transfer}`
  const { kind, transfer, at } = delivered.message
  return `deliver ${kind} ${transfer} at ${at} ${delivered.end}`
}

/** What a step is about: the action without its transfer, and the transfers before and after it. */
function kindOf({ before, action, state }) {
  const changes = Object.keys(state.stored.rows).map((t) =>
    [before.state, state]
      .map(({ stored }) => `${stored.rows[t]} ${stored.entries[t]}`)
      .join(' -> '),
  )
  const message = action.Deliver?.message ?? action.Send
  const about = message === undefined ? changes.toSorted() : [changes[message.transfer - 1]]
  const name = JSON.stringify(action, (key, value) => (key === 'transfer' ? undefined : value))
  return `${before.state.now} ${name} ${about.join(', ')}`
}

/**
 * Erases a person in all services that hold data of persons. Each page is stored as progress before the
 * next one begins, and a page that comes twice erases nothing more, so a run that was interrupted anywhere
 * goes on with the next call.
 */
import type { Erasure } from '@causeway/protos'
import { refused, type RefusedOperation } from '../answer.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

interface PersonPage {
  readonly partyIdType: string
  readonly partyIdentifier: string
  readonly partySubId?: string | undefined
  readonly cursor?: string | undefined
}

interface ErasedPage {
  readonly erased: number
  readonly next?: string | undefined
}

/** Of one call, so that it is answered in time. */
const budget_ms = 8_000

function erasersOf(deps: Deps) {
  const { persons, quotes, transfers, notifications, consents } = deps
  return {
    'account-lookup': (page: PersonPage) => persons.ErasePerson(page),
    'auth-service': (page: PersonPage) => consents.ErasePerson(page),
    notifications: (page: PersonPage) => notifications.ErasePerson(page),
    quoting: (page: PersonPage) => quotes.ErasePerson(page),
    transfers: (page: PersonPage) => transfers.ErasePerson(page),
  } satisfies Readonly<Record<string, (page: PersonPage) => Promise<ErasedPage>>>
}

/** The erasure as far as it has come; finished, or to be continued. */
export async function erasePerson(
  deps: Deps,
  requestId: string,
): Promise<Erasure | RefusedOperation> {
  const erasers = erasersOf(deps)
  const services = Object.keys(erasers)
  const until_ms = Date.now() + budget_ms
  const { erasures } = await deps.erasures.ListErasures({})
  let erasure = erasures.find((one) => one.requestId === requestId)
  if (erasure === undefined || erasure.month !== undefined) {
    return refused('REQUEST_UNKNOWN', `there is no erasure ${requestId} of a person`)
  }
  if (erasure.state !== 'APPROVED') {
    return refused('REQUEST_PENDING', `${requestId} is ${erasure.state}`)
  }
  for (const [service, erase] of Object.entries(erasers)) {
    for (let isDone = false; !isDone && Date.now() < until_ms;) {
      const { person } = erasure
      if (!person) return erasure
      const known = erasure.progress.find((one) => one.service === service)
      if (known !== undefined && known.next === undefined) break
      const page = known?.next === undefined ? person : { ...person, cursor: known.next }
      const { erased, next } = await erase(page)
      // Messages of payments that have not ended: a later call finds them.
      if (next !== undefined && next === known?.next && erased === 0) break
      const total = (known?.erased ?? 0) + erased
      const progress = { service, erased: total, ...(next === undefined ? {} : { next }) }
      const answer = await deps.erasures.ReportErasure({ requestId, progress, services })
      if (answer.refusal) return refusedUpstream(answer.refusal)
      if (!answer.erasure) throw new Error('a report was answered with neither erasure nor refusal')
      erasure = answer.erasure
      isDone = next === undefined
    }
  }
  return erasure
}

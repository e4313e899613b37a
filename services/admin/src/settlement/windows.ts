/** Settlement windows: each committed transfer belongs to the window that was open at that time. */
import { z } from 'zod'
import { answered, page, refused, type OperationResult } from '../answer.ts'
import { currency, goesOn, pageSize, queryNumber, queryTime, word } from '../fields.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { refusedUpstream, longDeadline, type Deps } from '../upstream.ts'
import { shownWindow, soughtWindowStates, windowBody } from './shown.ts'

const search = z.object({
  participantId: queryNumber.optional(),
  state: z.enum(soughtWindowStates).optional(),
  fromDateTime: queryTime.optional(),
  toDateTime: queryTime.optional(),
  currency: currency.optional(),
  cursor: queryNumber.optional(),
  limit: pageSize(1_000).optional(),
})

const closing = z.strictObject({ state: z.literal('CLOSED'), reason: word })

export function windowOperations(deps: Deps): readonly Operation[] {
  const one = '/v2/settlementWindows/:id'
  return [
    reads(
      '/v2/settlementWindows',
      {
        about: `Settlement windows, newest first; at least one filter must be given. ${goesOn}`,
        query: search,
        answers: { 200: z.array(shownWindow) },
      },
      ({ query }) => listWindows(deps, query),
    ),
    reads(
      one,
      {
        about: 'A settlement window with its content',
        answers: { 200: shownWindow },
        refuses: ['WINDOW_UNKNOWN'],
      },
      ({ id }) => getWindow(deps, id),
    ),
    writes(
      'POST',
      one,
      closing,
      {
        about: 'Closes the open window; the answer is the one that is open now',
        answers: { 200: shownWindow },
        refuses: ['WINDOW_MISSING', 'WINDOW_NOT_OPEN', 'WINDOW_EMPTY'],
      },
      ({ id, body, actor, newId: requestId }) =>
        closeWindow(deps, { requestId, windowId: id, explanation: body.reason, actor }),
    ),
  ]
}

/** With COMPATIBILITY=mojaloop a search without results is refused. */
async function listWindows(deps: Deps, query: z.infer<typeof search>): Promise<OperationResult> {
  const { cursor, limit, state, ...filters } = query
  if (state === undefined && Object.keys(filters).length === 0) {
    return refused('INVALID', 'no filter was given')
  }
  const { windows, nextBeforeId } =
    state === 'FAILED'
      ? { windows: [], nextBeforeId: undefined }
      : await deps.windows.ListSettlementWindows({
          participantId: query.participantId,
          state,
          from: query.fromDateTime,
          to: query.toDateTime,
          currency: query.currency,
          beforeId: cursor,
          limit,
        })
  if (windows.length === 0 && cursor === undefined && deps.settings.COMPATIBILITY === 'mojaloop') {
    return refused('INVALID', 'no settlement window was found')
  }
  return page(windows.map(windowBody), nextBeforeId === undefined ? '' : String(nextBeforeId))
}

async function getWindow(deps: Deps, id: number): Promise<OperationResult> {
  const { window, refusal } = await deps.windows.GetSettlementWindow({ id })
  if (refusal) return refusedUpstream(refusal)
  if (!window) throw new Error('a window was answered with neither record nor refusal')
  return answered(200, windowBody(window))
}

/** An unknown window is an invalid request here, not 404. */
async function closeWindow(
  deps: Deps,
  asked: Parameters<Deps['windows']['CloseSettlementWindow']>[0],
): Promise<OperationResult> {
  const { windowId } = asked
  const { window, refusal } = await deps.windows.CloseSettlementWindow(asked, longDeadline)
  if (refusal?.reason === 'WINDOW_UNKNOWN') return refused('WINDOW_MISSING', refusal.detail)
  if (refusal?.reason === 'WINDOW_EMPTY')
    return refused('WINDOW_EMPTY', `Window ${windowId} is empty`)
  if (refusal) return refusedUpstream(refusal)
  if (!window) throw new Error('a window was closed without opening the next one')
  return answered(200, windowBody(window))
}

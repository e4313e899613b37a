/**
 * Who may decide a request for a change: another person than its maker, once, and as long as it has not
 * expired. And how many requests of one maker wait at once, so that none fills the list of all.
 */
import { refuse, type Refused } from '@causeway/services'

export type ApprovalState = 'PEND-APPROVAL' | 'APPROVED' | 'REJECTED'

export interface JudgedApproval {
  readonly id: string
  readonly state: ApprovalState
  readonly createdBy: string
  readonly createdAt: Date
  /** Null while it is pending. */
  readonly decidedBy: string | null
}

export interface ApprovalVerdict {
  readonly verdict: 'APPROVE' | 'REJECT'
  readonly by: string
}

/** When something is requested or decided, and how long a request waits (APPROVAL_LIFE_H). */
export interface ApprovalTime {
  readonly now: Date
  readonly life_ms: number
}

export type Judgement =
  | Refused<'REQUEST_DECIDED' | 'REQUEST_EXPIRED' | 'SAME_PERSON'>
  /** The same person has already made the same decision. */
  | { readonly type: 'EXISTS' }
  | { readonly type: 'APPLY' }
  | { readonly type: 'REJECT' }

export function judge(
  request: JudgedApproval,
  { verdict, by }: ApprovalVerdict,
  time: ApprovalTime,
): Judgement {
  const { id, state, createdBy, createdAt, decidedBy } = request
  if (state !== 'PEND-APPROVAL') {
    const isSame = state === stateAfter(verdict) && decidedBy === by
    return isSame ? { type: 'EXISTS' } : refuse('REQUEST_DECIDED', `${id} is ${state}`)
  }
  if (createdBy === by) {
    return refuse('SAME_PERSON', `${by} has requested ${id}, another person must decide`)
  }
  if (verdict === 'REJECT') return { type: 'REJECT' }
  return isExpired(request, time)
    ? refuse('REQUEST_EXPIRED', `${id} is of ${createdAt.toISOString()}, request it again`)
    : { type: 'APPLY' }
}

export function stateAfter(verdict: ApprovalVerdict['verdict']): ApprovalState {
  return verdict === 'APPROVE' ? 'APPROVED' : 'REJECTED'
}

/** Whether it can no longer be approved. */
export function isExpired(
  { state, createdAt }: Pick<JudgedApproval, 'state' | 'createdAt'>,
  { now, life_ms }: ApprovalTime,
): boolean {
  return state === 'PEND-APPROVAL' && createdAt.getTime() <= now.getTime() - life_ms
}

/** The decision about a request that has expired, when its place is needed; no operator has this name. */
export const expiry = { verdict: 'REJECT', by: '(expired)', note: 'expired' } as const

/** What waits for a decision and has not expired. */
export interface PendingTotals {
  /** Of the maker, of this kind; those that only withdraw something are a kind by themselves. */
  readonly ofMaker: number
  readonly ofAll: number
  /** Of what they change and replace. */
  readonly makerBytes: number
  readonly allBytes: number
}

export const waiting_max = 100
/** Of all makers and kinds of a service; as many more that only withdraw something. */
export const pending_max = 1_000
/** A list of what waits, and of what withdraws, fits one message; the largest request is one of a maker. */
const pending_bytes_max = 6 * 1024 * 1024
const maker_bytes_max = 1024 * 1024 + 64 * 1024

/** @param bytes of what one more request changes and replaces */
export function waitingFault(
  maker: string,
  waiting: PendingTotals,
  bytes: number,
): Refused<'REQUESTS_FULL' | 'BUSY'> | undefined {
  const { ofMaker, ofAll, makerBytes, allBytes } = waiting
  if (ofMaker >= waiting_max) {
    return refuse('REQUESTS_FULL', `${ofMaker} requests of ${maker} wait for a decision already`)
  }
  if (makerBytes + bytes > maker_bytes_max) {
    return refuse(
      'REQUESTS_FULL',
      `${makerBytes} bytes of ${maker} wait already, ${bytes} more are too many`,
    )
  }
  const isBusy = ofAll >= pending_max || allBytes + bytes > pending_bytes_max
  return isBusy ? refuse('BUSY', `${ofAll} changes wait for a decision`) : undefined
}

/** What a day's reports are made of: sums that grow with the participants, not with the payments. */

/** The participant `''` stands for a payee FSP that is no participant. */
export interface Flow {
  readonly currency: string
  readonly side: Side
  readonly fsp: string
  readonly kind: 'TRANSFER' | 'FEE'
  readonly isBulkItem: boolean
  readonly state: 'COMMITTED' | 'ABORTED'
  /** Why it was aborted: `4001`; empty when it is committed. */
  readonly errorCode: string
  readonly count: number
  /** Ten-thousandths. */
  readonly value: bigint
}

/** SENT: as the payer FSP. */
export type Side = 'SENT' | 'RECEIVED'

/** How long committed transfers took, to three significant digits. */
export interface Latency {
  readonly currency: string
  readonly side: Side
  readonly fsp: string
  readonly duration_ms: number
  readonly count: number
}

/** Committed single transfers that a PISP began. */
export interface ThirdPartyFlow {
  readonly currency: string
  readonly payerFsp: string
  readonly payeeFsp: string
  readonly count: number
  readonly value: bigint
}

/** The value of a POSITION account at the end of the day. Above zero: it owes. */
export interface PositionAtEnd {
  readonly currency: string
  readonly fsp: string
  readonly value: bigint
}

export interface ClosedWindow {
  readonly id: number
  readonly closedAt: string
  readonly nets: readonly {
    readonly currency: string
    readonly model: string
    readonly participant: string
    /** Above zero: it owes. */
    readonly net: bigint
    readonly transfersCount: number
  }[]
}

export interface Period {
  readonly currency: string
  readonly from: Date
  readonly until: Date
}

export interface DayFacts {
  readonly periods: readonly Period[]
  readonly flows: readonly Flow[]
  readonly latencies: readonly Latency[]
  readonly thirdParty: readonly ThirdPartyFlow[]
  readonly positions: readonly PositionAtEnd[]
  readonly windows: readonly ClosedWindow[]
  /** The FSPs; each has a report, with or without payments. */
  readonly participants: readonly string[]
}

/** A failed call of an external oracle: no conclusion about any party follows from it. */

export type OracleFailure =
  /** No answer, or an invalid one. */
  | 'ORACLE_AWAY'
  /** It was not called: its circuit is open. */
  | 'ORACLE_TRIPPED'

export class OracleFailed extends Error {
  override readonly name = 'OracleFailed'
  readonly reason: OracleFailure

  constructor(reason: OracleFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

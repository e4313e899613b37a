/** An oracle of somebody else's did not answer, and nothing follows from that about any party. */

export type OracleFailure =
  /** No answer, or none that can be read. */
  | 'ORACLE_AWAY'
  /** It was not even asked: it has failed too often just now. */
  | 'ORACLE_TRIPPED'

export class OracleFailed extends Error {
  override readonly name = 'OracleFailed'
  readonly reason: OracleFailure

  constructor(reason: OracleFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

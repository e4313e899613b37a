/** Bounds that no scheme needs to change; tests have other ones. */
export const usualBounds = {
  /** How long a token of an FSP is valid: what is revoked ends by itself within five minutes. */
  tokenLife_s: 300,
  /** Wrong secrets of one client within a minute, per process, after which new ones are refused. */
  wrongSecrets_max: 10,
  /** Open sessions of one person; a further log-in ends the oldest one. */
  sessions_max: 20,
  /**
   * Signatures, decryptions and translations of PINs that one operator or program may ask each process
   * for in a minute.
   */
  keyUses_max: 600,
  /**
   * Refused PIN blocks of a key, or of an operator or program, from which on no more are translated:
   * too few to find a PIN by trying.
   */
  pinRefusals_max: 10,
}

export type AuthBounds = Readonly<typeof usualBounds>

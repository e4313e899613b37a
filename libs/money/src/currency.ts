/**
 * The currencies that the hub accepts, each with its number of decimals: ISO 4217, and the codes of
 * the published FSPIOP schema that ISO has withdrawn or never had, which older FSPs still send.
 */

/** Codes by exponent; a list per exponent is shorter than 200 lines. FSPIOP 7.5, ISO 4217. */
const codesByExponent: readonly (readonly [exponent: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD ' +
      'CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP ' +
      'GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP ' +
      'LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR ' +
      'NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN ' +
      'SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ' +
      'ZMW ZWG',
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
  // Withdrawn, or never a currency of ISO 4217: two decimals by default.
  [2, 'GGP HRK IMP JEP MRO SLL SPL STD TVD VEF ZWD'],
  // ISO gives these no exponent: metals, units of account, and the codes reserved for testing.
  [0, 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'],
]

const exponents: ReadonlyMap<string, number> = new Map(
  codesByExponent.flatMap(([exponent, codes]) =>
    codes.split(' ').map((code) => [code, exponent] as const),
  ),
)

/** Every code, in the order of the alphabet. */
export const currencies: readonly string[] = [...exponents.keys()].sort()

/** How many decimals the currency has; `undefined` for an unknown currency. */
export function currencyExponent(code: string): number | undefined {
  return exponents.get(code)
}

/** Codes are upper case and compared as sent. */
export function isCurrency(code: string): boolean {
  return exponents.has(code)
}

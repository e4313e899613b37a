export {
  amountFromJson,
  formatAmount,
  jsonNumber,
  minorUnits,
  parseAmount,
  parseDecimal,
  UNITS_PER_ONE,
} from './amount.ts'
export { currencies, currencyExponent, isCurrency } from './currency.ts'
export { exceededDecimals, type DecimalBounds } from './decimals.ts'

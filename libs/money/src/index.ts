export {
  amountFromJson,
  formatAmount,
  jsonNumber,
  minorUnits,
  parseAmount,
  parseDecimal,
  UNITS_PER_ONE,
} from './amount.ts'
export { currencyExponent, isCurrency } from './currency.ts'

/**
 * The complex types that messages share. Unknown members are legal everywhere and are preserved; a known
 * one is absent or valid, so `null` and "" are refused. FSPIOP 7.4.
 */
import { z } from 'zod'
import {
  amount,
  balanceOfPayments,
  correlationId,
  currency,
  dateOfBirth,
  errorCode,
  errorDescription,
  extensionKey,
  extensionValue,
  fspId,
  integer,
  latitude,
  longitude,
  merchantClassificationCode,
  name,
  otpValue,
  partyIdentifier,
  partyName,
  partySubIdOrType,
  pinValue,
  qrCode,
  refundReason,
  transactionSubScenario,
} from './elements.ts'
import {
  partyIdType,
  transactionInitiator,
  transactionInitiatorType,
  transactionScenario,
} from './enumerations.ts'

export const money = z.looseObject({ currency, amount }).meta({ id: 'Money' })

export const geoCode = z.looseObject({ latitude, longitude }).meta({ id: 'GeoCode' })

const extension = z.looseObject({ key: extensionKey, value: extensionValue })

/**
 * An object with the array `extension`. API 1.0 had a bare array, which is accepted and converted to
 * the object.
 */
export const extensionList = z
  .preprocess(
    (value) => (Array.isArray(value) ? { extension: value as unknown[] } : value),
    z.looseObject({ extension: z.array(extension).min(1).max(16) }),
  )
  .meta({ id: 'ExtensionList' })

export const errorInformationPart = z
  .looseObject({
    errorCode,
    errorDescription,
    extensionList: extensionList.optional(),
  })
  .meta({ id: 'ErrorInformation' })

export const partyIdInfo = z
  .looseObject({
    partyIdType,
    partyIdentifier,
    partySubIdOrType: partySubIdOrType.optional(),
    fspId: fspId.optional(),
    extensionList: extensionList.optional(),
  })
  .meta({ id: 'PartyIdInfo' })

const partyComplexName = z.looseObject({
  firstName: name.optional(),
  middleName: name.optional(),
  lastName: name.optional(),
})

const partyPersonalInfo = z.looseObject({
  complexName: partyComplexName.optional(),
  dateOfBirth: dateOfBirth.optional(),
})

export const party = z
  .looseObject({
    partyIdInfo,
    merchantClassificationCode: merchantClassificationCode.optional(),
    name: partyName.optional(),
    personalInfo: partyPersonalInfo.optional(),
  })
  .meta({ id: 'Party' })

const refund = z.looseObject({
  originalTransactionId: correlationId,
  refundReason: refundReason.optional(),
})

export const transactionType = z
  .looseObject({
    scenario: transactionScenario,
    subScenario: transactionSubScenario.optional(),
    initiator: transactionInitiator,
    initiatorType: transactionInitiatorType,
    refundInfo: refund.optional(),
    balanceOfPayments: balanceOfPayments.optional(),
  })
  .meta({ id: 'TransactionType' })

/**
 * `authentication` determines the format of the value. A plain union of the formats would refuse every
 * OTP, because each of them is a legal QR code too.
 */
export const authenticationInfo = z.discriminatedUnion('authentication', [
  z.looseObject({ authentication: z.literal('OTP'), authenticationValue: otpValue }),
  z.looseObject({ authentication: z.literal('QRCODE'), authenticationValue: qrCode }),
  z.looseObject({
    authentication: z.literal('U2F'),
    authenticationValue: z.looseObject({ pinValue, counter: integer }),
  }),
])

/** Every PUT …/error. FSPIOP 7.6. */
export const errorBody = z.compile(z.looseObject({ errorInformation: errorInformationPart }))

export type Money = z.infer<typeof money>
export type Party = z.infer<typeof party>
export type PartyIdInfo = z.infer<typeof partyIdInfo>
export type TransactionType = z.infer<typeof transactionType>
export type ErrorBody = z.infer<typeof errorBody>

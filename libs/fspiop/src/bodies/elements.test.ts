import { describe, expect, test } from '@jest/globals'
import type { z } from 'zod'
import * as elements from './elements.ts'

const astral = '😀'

/** Texts that each element takes and texts that it does not, at the edges of its rule. */
const cases: readonly {
  readonly name: string
  readonly element: z.ZodType
  readonly legal: readonly string[]
  readonly illegal: readonly unknown[]
}[] = [
  {
    name: 'Amount',
    element: elements.amount,
    legal: ['0', '0.5', '5', '5.5555', '9'.repeat(18), `${'9'.repeat(18)}.9999`],
    illegal: ['5.0', '5.', '.5', '00.5', '-5.5', '5.55555', '9'.repeat(19), 5, '', ' 5', '5\n'],
  },
  {
    name: 'Currency',
    element: elements.currency,
    legal: ['USD', 'XTS', 'XXX', 'SLE', 'ZWD'],
    illegal: ['usd', 'US', 'USDD', 'ZZZ', '', 840],
  },
  {
    name: 'Integer',
    element: elements.integer,
    legal: ['1', '10', '999'],
    illegal: ['0', '01', '-1', '1.0', '', 1],
  },
  {
    name: 'DateOfBirth',
    element: elements.dateOfBirth,
    legal: ['1986-02-14', '2000-02-29', '2024-02-29', '2023-12-31', '1000-01-01', '9999-12-31'],
    illegal: ['1900-02-29', '2023-02-29', '2023-04-31', '2023-13-01', '2023-00-10', '0999-01-01'],
  },
  {
    name: 'DateTime',
    element: elements.dateTime,
    legal: [
      '2016-05-24T08:38:08.699-04:00',
      '2024-02-29T00:00:00.000Z',
      '2000-02-29T23:59:59.999+19:59',
      '2030-01-01T00:00:00.000+05:30',
    ],
    illegal: [
      '2016-05-24T08:38:08Z',
      '2016-05-24T08:38:08.69Z',
      '2016-05-24T08:38:08.6999Z',
      '1900-02-29T00:00:00.000Z',
      '2016-05-24T08:38:08.699+1400',
      '2016-05-24T08:38:08.699z',
      '2016-05-24t08:38:08.699Z',
      '2016-05-24T08:38:08.699',
      '2016-05-24T24:00:00.000Z',
      '2016-05-24T23:59:60.000Z',
      '2016-05-24T08:38:08.699+20:00',
      '2016-05-24 08:38:08.699Z',
      '2016-05-24T08:38:08.699Z\n',
      1464079088699,
    ],
  },
  {
    name: 'CorrelationId',
    element: elements.correlationId,
    legal: [
      'b51ec534-ee48-4575-b6a9-ead2955b8069',
      'b51ec534-ee48-1575-86a9-ead2955b8069',
      '019bd1d5-ee48-7575-96a9-ead2955b8069',
      '019bd1d5-ee48-8575-a6a9-ead2955b8069',
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    ],
    illegal: [
      'B51EC534-EE48-4575-B6A9-EAD2955B8069',
      'b51ec534-ee48-0575-b6a9-ead2955b8069',
      'b51ec534-ee48-9575-b6a9-ead2955b8069',
      'b51ec534-ee48-4575-c6a9-ead2955b8069',
      'b51ec534ee484575b6a9ead2955b8069',
      '01arz3ndektsv4rrffq69g5fav',
      '01ARZ3NDEKTSV4RRFFQ69G5FAI',
      '01ARZ3NDEKTSV4RRFFQ69G5F',
      '',
    ],
  },
  {
    name: 'FspId',
    element: elements.fspId,
    legal: ['a', 'payeefsp', 'x'.repeat(32), astral.repeat(32), 'bank one', 'Bank-1.test_x'],
    illegal: ['', 'x'.repeat(33), astral.repeat(33), ' a', 'a ', 'a\tb', 'a\u0000', 'a\u007f', 7],
  },
  {
    name: 'Name',
    element: elements.name,
    legal: [
      "Jean-Luc O'Neil, Jr.",
      'Zoë',
      'အောင်ဆန်း',
      '李小龍',
      'محمد',
      'Bill_2',
      'x'.repeat(128),
      'नरेन्द्र',
    ],
    illegal: ['', ' ', '\t', 'a@b', 'x'.repeat(129), 'a/b', 'a&b', 'a\u0000', 5],
  },
  {
    name: 'PartyName',
    element: elements.partyName,
    legal: ['Smith & Sons', 'a@b', astral.repeat(128)],
    illegal: ['', 'x'.repeat(129), astral.repeat(129)],
  },
  {
    name: 'PartyIdentifier',
    element: elements.partyIdentifier,
    legal: ['+123456789', 'a@b.test', 'x'.repeat(128)],
    illegal: ['', 'a/b', 'a?b', 'x'.repeat(129), 123],
  },
  {
    name: 'PartySubIdOrType',
    element: elements.partySubIdOrType,
    legal: ['PASSPORT', 'bill 5'],
    illegal: ['', 'a/b', 'a?b', 'x'.repeat(129)],
  },
  {
    name: 'MerchantClassificationCode',
    element: elements.merchantClassificationCode,
    legal: ['1', '0042', '5812'],
    illegal: ['', '58123', 'abcd', 5812],
  },
  {
    name: 'Note',
    element: elements.note,
    legal: ['n', 'x'.repeat(128)],
    illegal: ['', 'x'.repeat(129)],
  },
  {
    name: 'ErrorCode',
    element: elements.errorCode,
    legal: ['1000', '5199', '9999'],
    illegal: ['0999', '310', '31000', 'abcd', 3100],
  },
  {
    name: 'ExtensionKey',
    element: elements.extensionKey,
    legal: ['k', 'x'.repeat(32), astral.repeat(32)],
    illegal: ['', 'x'.repeat(33), 5],
  },
  {
    name: 'ExtensionValue',
    element: elements.extensionValue,
    legal: ['v', 'x'.repeat(128), ' '],
    illegal: ['', 'x'.repeat(129), null],
  },
  {
    name: 'BalanceOfPayments',
    element: elements.balanceOfPayments,
    legal: ['100', '998'],
    illegal: ['099', '12', '1234'],
  },
  {
    name: 'Code',
    element: elements.code,
    legal: ['abcd', 'A'.repeat(32)],
    illegal: ['abc', 'A'.repeat(33), 'ab-d'],
  },
  {
    name: 'OtpValue',
    element: elements.otpValue,
    legal: ['012', '0123456789'],
    illegal: ['12', '01234567890', 'abc', 123],
  },
  {
    name: 'QRCODE',
    element: elements.qrCode,
    legal: ['q', 'x'.repeat(64)],
    illegal: ['', 'x'.repeat(65)],
  },
  {
    name: 'TransactionSubScenario',
    element: elements.transactionSubScenario,
    legal: ['HOME_REMITTANCE', '_', 'X'.repeat(32)],
    illegal: ['', 'home', 'X1', 'X'.repeat(33)],
  },
  {
    name: 'IlpCondition',
    element: elements.ilpCondition,
    legal: ['GRzLaTP7DJ9t4P-a_BA0WA9wzzlsugf00-Tn6kESAfM'],
    illegal: [
      'GRzLaTP7DJ9t4P-a_BA0WA9wzzlsugf00-Tn6kESAf',
      'GRzLaTP7DJ9t4P-a_BA0WA9wzzlsugf00-Tn6kESAfM=',
      'GRzLaTP7DJ9t4P+a/BA0WA9wzzlsugf00+Tn6kESAfM',
    ],
  },
  {
    name: 'IlpPacket',
    element: elements.ilpPacket,
    legal: ['AQ', 'AQ==', 'AQA=', 'A'.repeat(32_768)],
    illegal: ['', '=', 'A===', 'A+B', 'A/B', 'A B', 'A'.repeat(32_769)],
  },
  {
    name: 'Latitude',
    element: elements.latitude,
    legal: ['0', '+45.4215', '-90', '90.000000', '9.123456'],
    illegal: ['05', '90.1', '91', '45.', '1.1234567', '', 45],
  },
  {
    name: 'Longitude',
    element: elements.longitude,
    legal: ['0', '-75.6972', '+180', '180.000000', '179.999999'],
    illegal: ['05', '180.1', '181', '1.1234567', ''],
  },
]

describe.each(cases)('$name', ({ element, legal, illegal }) => {
  test('Every legal value of the element is accepted', () => {
    expect(legal.filter((text) => !element.safeParse(text).success)).toEqual([])
  })

  test('No illegal value of the element is accepted', () => {
    expect(illegal.filter((value) => element.safeParse(value).success)).toEqual([])
  })
})

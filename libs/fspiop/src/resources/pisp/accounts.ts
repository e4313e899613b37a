/** The body of the accounts resource: the accounts of a user that a PISP can offer for linking. */
import { z } from 'zod'
import { extensionList } from '../../bodies/complex.ts'
import { anyText, currency } from '../../bodies/elements.ts'
import { atLeastOneOf } from './parts.ts'

const account = z.looseObject({
  /** `id` in older messages. */
  address: anyText.optional(),
  accountNickname: anyText.optional(),
  currency,
})

const accounts = z.array(account).min(1).max(256)

/** PUT /accounts/{ID}, from the DFSP; the list has either name, or is the whole body. */
export const putAccounts = z.compile(
  z.preprocess(
    (value) => (Array.isArray(value) ? { accounts: value as unknown[] } : value),
    z
      .looseObject({
        accounts: accounts.optional(),
        accountList: accounts.optional(),
        extensionList: extensionList.optional(),
      })
      .refine(...atLeastOneOf('accounts', 'accountList')),
  ),
)

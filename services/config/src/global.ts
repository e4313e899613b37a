/**
 * The values of the whole scheme: a set that belongs to no component. config registers it when it
 * starts; services read it, operators change it like any other.
 */
import type { ConfigurationSet } from '@causeway/protos'

/** No component may register under this name. */
export const globalContext = 'GLOBAL'

const currencies = {
  maxItems: 500,
  items: {
    type: 'object',
    properties: {
      currency: { type: 'string', minLength: 3, maxLength: 3 },
      decimals: { type: 'integer', minimum: 0, maximum: 4 },
    },
    required: ['currency', 'decimals'],
    additionalProperties: false,
  },
}

/** Raise the version when a value is added, removed or changed. */
export const globalSet: ConfigurationSet = {
  boundedContextId: globalContext,
  schemaVersion: '1.0.1',
  iterationNumber: 0,
  parameters: [
    {
      name: 'SCHEME_CURRENCIES',
      type: 'LIST',
      description:
        'The currencies that the scheme uses, with their decimals: ' +
        '[{"currency":"USD","decimals":2}]. Empty: all, with the decimals of ISO 4217. Accounts are ' +
        'opened in these alone; accounts that exist stay as they are. The decimals bound amounts ' +
        'where AMOUNT_DECIMALS is currency.',
      defaultJson: '[]',
      currentJson: '',
      isSet: false,
      jsonSchema: JSON.stringify(currencies),
    },
  ],
  featureFlags: [],
  actor: 'config',
}

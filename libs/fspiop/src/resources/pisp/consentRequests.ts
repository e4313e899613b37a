/** The bodies of consentRequests: a PISP requests to link accounts, and the user authenticates. */
import { z } from 'zod'
import { extensionList } from '../../bodies/complex.ts'
import { anyText, thirdPartyId, uri } from '../../bodies/elements.ts'
import { authChannel } from '../../bodies/enumerations.ts'
import { scopes } from './parts.ts'

const authChannels = z.array(authChannel).min(1).max(256)

/** POST /consentRequests, from the PISP. The WEB channel needs the callback URI. */
export const postConsentRequests = z.compile(
  z
    .looseObject({
      consentRequestId: thirdPartyId,
      userId: anyText,
      scopes,
      authChannels,
      callbackUri: uri.optional(),
      extensionList: extensionList.optional(),
    })
    .refine(({ authChannels, callbackUri }) => callbackUri !== undefined || !hasWeb(authChannels), {
      path: ['callbackUri'],
      error: 'missing, and WEB is offered',
      params: { errorCode: '3102', mojaloopCode: '3102' },
    }),
)

function hasWeb(channels: readonly string[]): boolean {
  return channels.some((channel) => channel.toUpperCase() === 'WEB')
}

/** PUT /consentRequests/{ID}, from the DFSP: the one channel that it has chosen. */
export const putConsentRequests = z.compile(
  z.looseObject({
    scopes,
    authChannels,
    callbackUri: uri.optional(),
    authUri: uri.optional(),
    extensionList: extensionList.optional(),
  }),
)

/** PATCH /consentRequests/{ID}, from the PISP: the token that the user received on either channel. */
export const patchConsentRequests = z.compile(
  z.looseObject({ authToken: anyText, extensionList: extensionList.optional() }),
)

export type PostConsentRequests = z.infer<typeof postConsentRequests>

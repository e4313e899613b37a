/** The bodies of the consentRequests resource: a PISP asks to link accounts, and the user proves it is them. */
import { z } from 'zod'
import { extensionList } from '../../complex.ts'
import { anyText, thirdPartyId, uri } from '../../elements.ts'
import { scopes } from './parts.ts'

const authChannels = z.array(anyText).min(1).max(256)

/** POST /consentRequests, from the PISP. Where the user is sent back to is needed by the WEB channel. */
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

/** PATCH /consentRequests/{ID}, from the PISP: what the user was given, on either channel. */
export const patchConsentRequests = z.compile(
  z.looseObject({ authToken: anyText, extensionList: extensionList.optional() }),
)

export type PostConsentRequests = z.infer<typeof postConsentRequests>

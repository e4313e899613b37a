/**
 * What happens to participants, their accounts, limits and endpoints. `version` grows with every
 * change of a participant: a reader ignores what is not newer than it knows.
 */
import { z } from 'zod'
import { define } from './define.ts'

const account = z.object({
  accountId: z.int(),
  ledgerAccountType: z.string(),
  currency: z.string(),
  isActive: z.boolean(),
})

const endpoint = z.object({ type: z.string(), value: z.string() })

const ofParticipant = {
  topic: 'participants',
  publishers: ['participant-lifecycle'],
  key: 'participantId',
} as const

/** The services that cache participants (`@causeway/participants`). */
const readers = ['account-lookup', 'fspiop-api', 'notifications', 'quoting'] as const

const ofAccount = {
  participantId: z.string(),
  accountId: z.int(),
  currency: z.string(),
  version: z.int(),
  changedAt: z.string(),
}

const ofRequest = {
  participantId: z.string(),
  requestId: z.string(),
  /** The maker's call: ManageFunds. */
  type: z.string(),
  createdBy: z.string(),
}

const accountStatus = z.object({ ...ofAccount, isActive: z.boolean() })

export const participantEvents = {
  ParticipantCreated: define({
    ...ofParticipant,
    consumers: [...readers, 'settlements'],
    about: 'A participant exists; it is not active yet.',
    schema: z.object({
      participantId: z.string(),
      type: z.enum(['DFSP', 'PISP', 'HUB']),
      /** Absent in what was announced before participants had states. */
      state: z.string().optional(),
      isActive: z.boolean(),
      currencies: z.array(z.string()),
      accounts: z.array(account),
      version: z.int(),
      changedAt: z.string(),
      /** The request that was approved; absent where no approval was needed. */
      requestId: z.string().optional(),
    }),
  }),
  ParticipantStateUpdated: define({
    ...ofParticipant,
    consumers: [...readers, 'auth-service'],
    about: 'A participant was activated or deactivated.',
    schema: z.object({
      participantId: z.string(),
      /** States of the scheme: ACTIVE, INACTIVE, SUSPENDED, CLOSED, or others of its own. */
      oldState: z.string(),
      newState: z.string(),
      isActive: z.boolean(),
      version: z.int(),
      changedAt: z.string(),
    }),
  }),
  ParticipantLiquidityThresholdExceeded: define({
    ...ofParticipant,
    consumers: ['participant-lifecycle'],
    about: 'A position has come near its limit, or a transfer was refused for want of liquidity.',
    schema: z.object({
      participantId: z.string(),
      accountId: z.int(),
      currency: z.string(),
      kind: z.enum(['THRESHOLD', 'LIMIT']),
      alarmPercentage: z.string(),
      remainingPercentage: z.string(),
      /** Reservations are inside. */
      position: z.string(),
      /** The lower one of the net debit cap and the cover. */
      limit: z.string(),
      occurredAt: z.string(),
    }),
  }),
  ParticipantPositionChanged: define({
    ...ofParticipant,
    consumers: ['participant-lifecycle'],
    about: 'A settlement has moved a position; transfers do so without an event of this name.',
    schema: z.object({
      participantId: z.string(),
      accountId: z.int(),
      currency: z.string(),
      value: z.string(),
      changedAt: z.string(),
    }),
  }),
  ParticipantAccountAdded: define({
    ...ofParticipant,
    consumers: [...readers, 'settlements'],
    about: 'A participant has a further account.',
    schema: z.object({
      participantId: z.string(),
      account,
      version: z.int(),
      changedAt: z.string(),
    }),
  }),
  ParticipantAccountEnabled: define({
    ...ofParticipant,
    consumers: readers,
    about: 'An account takes movements again.',
    schema: accountStatus,
  }),
  ParticipantAccountDisabled: define({
    ...ofParticipant,
    consumers: readers,
    about: 'An account takes no new movements; what is reserved can still finish.',
    schema: accountStatus,
  }),
  ParticipantAccountLimitUpdated: define({
    ...ofParticipant,
    consumers: ['participant-lifecycle'],
    about: 'A limit was set or changed.',
    schema: z.object({
      ...ofAccount,
      limit: z.object({ type: z.string(), value: z.string() }),
      /** Absent when this is the first limit. */
      oldValue: z.string().optional(),
    }),
  }),
  ParticipantAccountThresholdUpdated: define({
    ...ofParticipant,
    consumers: ['participant-lifecycle'],
    about: 'The percentage at which the operator is warned was changed.',
    schema: z.object({ ...ofAccount, alarmPercentage: z.string(), old: z.string() }),
  }),
  ParticipantEndpointsUpdated: define({
    ...ofParticipant,
    consumers: readers,
    about: 'An endpoint was added or changed; the list is whole.',
    schema: z.object({
      participantId: z.string(),
      endpoints: z.array(endpoint),
      version: z.int(),
      changedAt: z.string(),
    }),
  }),
  ParticipantChangeRequested: define({
    ...ofParticipant,
    consumers: ['auth-service'],
    about: 'A person requests a change; another person has to decide about it.',
    schema: z.object({
      ...ofRequest,
      /** The privilege that an approver needs: APPROVE_MANAGE_FUNDS. */
      approvedWith: z.string(),
      requestedAt: z.string(),
    }),
  }),
  ParticipantChangeDecided: define({
    ...ofParticipant,
    consumers: ['auth-service'],
    about: 'A requested change was approved and made, or rejected.',
    schema: z.object({
      ...ofRequest,
      state: z.enum(['APPROVED', 'REJECTED']),
      decidedBy: z.string(),
      decidedAt: z.string(),
      /** What the decider wrote. */
      note: z.string().optional(),
    }),
  }),
}

/** The changes that two persons make: what each asks of other services, and what it changes. */
import { participantSubject } from '@causeway/events'
import { approvalKinds, permittedIn } from '@causeway/services'
import { createHash } from 'node:crypto'
import type { ChangeKind, Making } from '@causeway/approvals'
import { moneyChanges, type FundsParts, type Ledger } from '@causeway/ledger'
import type { Transaction } from '@causeway/postgres'
import type { RefusedChange } from '../domain/refusal.ts'
import { modelsOf } from '../participants/accounts.ts'
import type { Models } from '../participants/domain/open.ts'
import { currencyUseFault } from '../participants/domain/scheme.ts'
import { setAccountStatus, setState } from '../participants/domain/update.ts'
import { changeIn, type HandleParts } from '../participants/handle.ts'
import { deniedEndpoint, unreachableEndpoint } from '../participants/reach.ts'
import {
  accountAdded,
  coverReserved,
  endpointsSet,
  fundsMoved,
  limitSet,
  participantCreated,
  thresholdSet,
  type ChangeOutcome,
} from './apply.ts'
import { contents, participantOf, type ChangeName, type ContentOf } from './content.ts'

export interface KindParts extends HandleParts, Omit<FundsParts, 'modelsOf'> {
  readonly rules: Ledger['rules']
  /** Whether new endpoints must accept a connection before they are approved. */
  readonly checksEndpoints: boolean
}

export function changeKinds(parts: KindParts): Readonly<Record<ChangeName, ChangeKind>> {
  return { ...kindsOfMoney(parts), ...kindsOfCreations(parts), ...kindsOfUpdates(parts) }
}

function kindsOfMoney(parts: KindParts) {
  const { rules } = parts
  return {
    ManageFunds: kindOf(parts, 'ManageFunds', {
      prepare: ({ currency }) => moneyChanges.protects(parts, currency),
      apply: (tx, content, making) => fundsMoved(tx, parts, content, making),
    }),
    ReserveLiquidityCover: kindOf(parts, 'ReserveLiquidityCover', {
      apply: (tx, content, making) => coverReserved(tx, rules, content, making),
    }),
    UpdateLiquidityCheck: kindOf(parts, 'UpdateLiquidityCheck', {
      apply: (tx, { settlementModel: model, requireLiquidityCheck: isRequired }) =>
        moneyChanges.switchCheckIn(tx, { model, isRequired }),
    }),
  }
}

function kindsOfCreations(parts: KindParts) {
  return {
    CreateParticipant: kindOf(parts, 'CreateParticipant', {
      async prepare({ currencies, endpoints }, step) {
        const denied =
          step === 'REQUEST' ? await deniedEndpoint(parts.egress, endpoints) : undefined
        return denied ?? modelsOfUsed(parts, currencies)
      },
      apply: (tx, content, making: Making<Models>) =>
        participantCreated(tx, parts, content, making),
    }),
    AddParticipantAccount: kindOf(parts, 'AddParticipantAccount', {
      prepare: ({ currency }) => modelsOfUsed(parts, [currency]),
      apply: (tx, content, making: Making<Models>) => accountAdded(tx, parts, content, making),
    }),
  }
}

function kindsOfUpdates(parts: KindParts) {
  const { bus, rules, egress } = parts
  return {
    UpdateParticipantState: kindOf(parts, 'UpdateParticipantState', {
      withdraws: ({ newState }) => !permittedIn(rules.states, newState).has('TRANSFERS'),
      apply: (tx, { participantId, newState }) =>
        changeIn(tx, bus, participantId, (one) => setState(one, newState, rules.states)),
    }),
    UpdateAccountStatus: kindOf(parts, 'UpdateAccountStatus', {
      withdraws: ({ isActive }) => !isActive,
      apply: (tx, { participantId, accountId, isActive }) =>
        changeIn(tx, bus, participantId, (one) => setAccountStatus(one, accountId, isActive)),
    }),
    UpdateAccountLimit: kindOf(parts, 'UpdateAccountLimit', {
      apply: (tx, content) =>
        changeIn(tx, bus, content.participantId, (one) => limitSet(rules, one, content)),
    }),
    UpdateAccountThreshold: kindOf(parts, 'UpdateAccountThreshold', {
      apply: (tx, content) =>
        changeIn(tx, bus, content.participantId, (one) => thresholdSet(one, content)),
    }),
    UpdateEndpoints: kindOf(parts, 'UpdateEndpoints', {
      async prepare({ endpoints }, step) {
        if (step === 'REQUEST') return deniedEndpoint(egress, endpoints)
        return parts.checksEndpoints ? unreachableEndpoint(egress, endpoints) : undefined
      },
      apply: (tx, { participantId, endpoints }, { createdBy }) =>
        changeIn(tx, bus, participantId, (one) => endpointsSet(one, endpoints, createdBy)),
    }),
  }
}

/** The settlement models of currencies that the scheme uses. */
async function modelsOfUsed(
  parts: KindParts,
  currencies: readonly string[],
): Promise<Models | RefusedChange> {
  const fault = currencies
    .map((currency) => currencyUseFault(parts.isUsed, currency))
    .find((one) => one !== undefined)
  return fault ?? modelsOf(parts, currencies)
}

/** What differs between the kinds. */
interface OwnPart<Content, Prepared> extends Pick<ChangeKind<Content, Prepared>, 'withdraws'> {
  prepare?(content: Content, step: 'REQUEST' | 'APPROVE'): Promise<Prepared | RefusedChange>
  apply(tx: Transaction, content: Content, making: Making<Prepared>): Promise<ChangeOutcome>
}

function kindOf<Name extends ChangeName, Prepared>(
  { rules, onState }: KindParts,
  name: Name,
  own: OwnPart<ContentOf<Name>, Prepared>,
): ChangeKind<ContentOf<Name>, Prepared> {
  const { decide, privilege } = approvalKinds[name]
  return {
    ...own,
    actions: { request: name, decide },
    content: contents[name],
    privilegeOf: () => privilege,
    subjectOf: (content) => participantSubject(participantOf(content, rules.hubName)),
    auditedOf: (content) => ({ change: content }),
    turnOf: (content) =>
      createHash('sha256')
        .update(JSON.stringify([name, content]))
        .digest('base64url'),
    async apply(tx, content, making) {
      const outcome = await own.apply(tx, content, making)
      if (outcome.type === 'REFUSE') return outcome
      const { audited, participant, oldState } = outcome
      // An update replaces values; to stop a participant or an account is never too late.
      const isCompared = name.startsWith('Update') && own.withdraws?.(content) !== true
      return {
        type: 'DONE',
        ...(audited === null ? { before: null, after: null } : audited),
        replaces: isCompared ? (audited?.before ?? {}) : null,
        afterCommit: () => {
          if (participant && oldState) onState(participant, oldState)
        },
      }
    },
  }
}

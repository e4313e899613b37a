/** Participants, and whether they may start payments. */
import type { Participant } from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { currency, flag, newParticipantName } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownFlag, shownTime } from '../shapes.ts'
import { findParticipant, unknownParticipant, refusedUpstream, type Deps } from '../upstream.ts'

/** A PISP has no accounts, and so no currency. */
const creation = z
  .strictObject({
    name: newParticipantName,
    currency: currency.optional(),
    type: z.enum(['DFSP', 'PISP']).optional(),
  })
  .refine(({ currency: given, type }) => given !== undefined || type === 'PISP', {
    path: ['currency'],
    error: 'is missing',
  })
  .refine(({ currency: given, type }) => given === undefined || type !== 'PISP', {
    path: ['currency'],
    error: 'is not a currency: a PISP has none',
  })
  .meta({ description: 'Without a type it is a DFSP, whose currency must be given.' })
const state = z.strictObject({ isActive: flag })

export const shownParticipant = z
  .strictObject({
    name: z.string(),
    type: z.enum(['DFSP', 'PISP', 'AUTH_SERVICE', 'HUB']).optional(),
    /** The host and the path, without a scheme. */
    id: z.string(),
    created: shownTime,
    isActive: shownFlag,
    links: z.strictObject({ self: z.string() }),
    accounts: z.array(
      z.strictObject({
        id: z.int(),
        ledgerAccountType: z.string(),
        currency: z.string(),
        isActive: shownFlag,
        createdDate: shownTime,
        createdBy: z.string(),
      }),
    ),
  })
  .meta({ id: 'Participant' })

export function participantOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/participants',
      {
        about: 'Every participant, including the hub',
        answers: { 200: z.array(shownParticipant) },
      },
      () => listParticipants(deps),
    ),
    writes(
      'POST',
      '/participants',
      creation,
      {
        about:
          'Creates a DFSP with its accounts in a currency, adds a currency to one, or creates a PISP, ' +
          'which has no currency',
        answers: { [createdStatus(deps)]: shownParticipant },
        refuses: [
          'CURRENCY_EXISTS',
          'ACCOUNT_TYPE_WRONG',
          'NAME_RESERVED',
          'PARTICIPANT_EXISTS',
          'HUB_ACCOUNTS_MISSING',
          'NO_SETTLEMENT_MODEL',
        ],
      },
      ({ body, actor }) => createParticipant(deps, body, actor),
    ),
    reads(
      '/participants/:name',
      {
        about: 'A participant with its accounts',
        answers: { 200: shownParticipant },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name }) => getParticipant(deps, name),
    ),
    writes(
      'PUT',
      '/participants/:name',
      state,
      {
        about: 'Activates or deactivates a participant; its accounts stay unchanged',
        answers: { 200: shownParticipant },
        refuses: ['PARTICIPANT_UNKNOWN', 'HUB_UNCHANGEABLE'],
      },
      ({ name, body, actor }) => changeState(deps, name, body.isActive, actor),
    ),
  ]
}

async function listParticipants(deps: Deps): Promise<OperationResult> {
  const { participants } = await deps.participants.GetParticipantInfo({ names: [] })
  return answered(
    200,
    participants.map((participant) => participantBody(deps, participant)),
  )
}

async function getParticipant(deps: Deps, name: string): Promise<OperationResult> {
  const participant = await findParticipant(deps, name)
  if (participant === undefined) return unknownParticipant(name)
  return answered(200, participantBody(deps, participant))
}

async function createParticipant(
  deps: Deps,
  body: z.infer<typeof creation>,
  actor: string,
): Promise<OperationResult> {
  const created = await deps.participants.CreateParticipant({ ...body, createdBy: actor })
  return participantAnswer(deps, created, createdStatus(deps))
}

async function changeState(
  deps: Deps,
  name: string,
  isActive: boolean,
  actor: string,
): Promise<OperationResult> {
  const changed = await deps.participants.UpdateParticipantState({ name, isActive, actor })
  return participantAnswer(deps, changed, 200)
}

/** The answer shows what was created, so it is 200; with COMPATIBILITY=mojaloop 201. */
export function createdStatus({ settings }: Deps): 200 | 201 {
  return settings.COMPATIBILITY === 'mojaloop' ? 201 : 200
}

/** The participant as it is after a command, or why the command was refused. */
export function participantAnswer(
  deps: Deps,
  { participant, refusal }: Awaited<ReturnType<Deps['participants']['CreateParticipant']>>,
  status: 200 | 201,
): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  if (!participant) throw new Error('a command was answered with neither participant nor refusal')
  return answered(status, participantBody(deps, participant))
}

/** The id is the host and the path, without a scheme. */
export function participantBody({ settings }: Pick<Deps, 'settings'>, participant: Participant) {
  const id = `${settings.HUB_HOST}/participants/${participant.name}`
  return {
    name: participant.name,
    type: participant.type,
    id,
    created: participant.createdAt,
    isActive: flagBody(participant.isActive),
    links: { self: id },
    accounts: participant.accounts.map((account) => ({
      id: account.id,
      ledgerAccountType: account.ledgerAccountType,
      currency: account.currency,
      isActive: flagBody(account.isActive),
      createdDate: account.createdAt,
      createdBy: account.createdBy,
    })),
  } satisfies Json
}

export function flagBody(isActive: boolean): 0 | 1 {
  return isActive ? 1 : 0
}

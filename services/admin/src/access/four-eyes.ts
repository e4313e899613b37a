/**
 * Four eyes for the whole API (FOUR_EYES=required): what one operator sends is stored, and runs when
 * another one approves it, as the operation that it is. With it goes the hash of the one gRPC call that the
 * operation makes: the approval permits no other. The table below has the only exceptions.
 */
import { asOperator, NotApproved, rehearse } from '@causeway/grpc'
import { isOutage } from '@causeway/process'
import type { Approval } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { decideApproval, ofDecision, requestApproval, verdict } from '../approvals/calls.ts'
import { pendingOperation } from '../approvals/routes.ts'
import { requestBody, shownRequest } from '../approvals/shown.ts'
import { errorAnswer } from '../contract.ts'
import { read, type Read } from '../fields.ts'
import { readJson, type Json } from '../json.ts'
import { pathOf, writes, type Operation } from '../operation.ts'
import type { Deps } from '../upstream.ts'
import { open, signedIn, type GuardedOperation } from './privileges.ts'

/** Why an operation that is no GET needs no second person. */
export const alone: Readonly<Record<string, string>> = {
  'POST /hash-gen': 'it changes nothing',
  'POST /signature-gen': 'it changes nothing',
  'POST /signature-ver': 'it changes nothing',
  'POST /encrypt': 'it changes nothing',
  'POST /decrypt': 'it changes nothing',
  'POST /pin-translation': 'it changes nothing',
  'POST /random-number-gen': 'it changes nothing',
  'POST /verify': 'it changes nothing',
  'POST /audit/verify': 'it changes nothing',
  'POST /fido-register': 'it is about the users of a component',
  'POST /fido-authenticate': 'it is about the users of a component',
  'POST /fido-authorize': 'it is about the users of a component',
  'POST /audit/confidential': 'it changes nothing',
  'POST /log-write': 'it is about a component of the operator',
  'POST /config/schemas': 'a component names what can be set, and sets nothing',
  'POST /config/secrets': 'a component names what can be set, and sets nothing',
  'POST /ledgerAccountTypes': 'it is always refused',
  'DELETE /endpointcache': 'it changes nothing',
  'POST /erasures/:requestId/run': 'another person has decided about it already',
  'POST /crypto-adapter-set': 'another person decides about it already',
  'POST /config/schemas/:boundedContextId': 'another person decides about values already',
  'POST /config/secrets/:boundedContextId': 'another person decides about values already',
  'POST /participants/:name/certifications': 'it stores evidence, and changes nothing else',
  'DELETE /operators/:operator/sessions': 'it only ends what a thief could use',
}

type Withdraws = (body: unknown) => boolean

const always: Withdraws = () => true
const deactivates: Withdraws = (body) => JSON.stringify(body) === '{"isActive":false}'

/** Operations that only withdraw something, all of them or some bodies: they wait beside all others. */
export const withdrawals: Readonly<Record<string, Withdraws>> = {
  'DELETE /component-keys/:kid': always,
  'DELETE /operators/:operator/fido-keys': always,
  'DELETE /participants/:name/certificates/:serial': always,
  'DELETE /participants/:name/client-secrets': always,
  'DELETE /participants/:name/keys/:kid': always,
  'PUT /operators/:operator': deactivates,
  'PUT /participants/:name': deactivates,
  'PUT /participants/:name/accounts/:id': deactivates,
}

const shownOutcome = shownRequest
  .extend({
    /** Of the approved operation; null: it did not run, or its end is not known. */
    outcome: z.strictObject({ status: z.int(), body: z.unknown() }).nullable(),
  })
  .meta({ id: 'OperationRequest' })

/** Whether another person must approve it. */
export function needsSecond({ method, path, privilege }: GuardedOperation): boolean {
  if (method === 'GET' || privilege === open || privilege === signedIn) return false
  // These are requests and decisions already.
  if (/^(CREATE|APPROVE|REJECT)_/.test(privilege)) return false
  return !Object.hasOwn(alone, `${method} ${path}`)
}

/** Each operation that needs a second person stores what was sent; the others are unchanged. */
export function withFourEyes(
  deps: Deps,
  operations: readonly GuardedOperation[],
): readonly GuardedOperation[] {
  if (!deps.fourEyes) return operations
  return operations.map((operation) =>
    needsSecond(operation) ? waiting(deps, operation) : operation,
  )
}

function waiting(deps: Deps, operation: GuardedOperation): GuardedOperation {
  const { about, method, path: route, privilege } = operation
  const own = about.answers[202]
  const withdraws = withdrawals[`${method} ${route}`] ?? (() => false)
  const answers = { 202: own ? z.union([shownRequest, own]) : shownRequest }
  return {
    ...operation,
    about: {
      ...about,
      about: `${about.about}. Another person must approve it`,
      answers,
      refuses: [...(about.refuses ?? []), 'REQUESTS_FULL', 'BUSY'],
    },
    async run(call) {
      const { actor, newId: requestId, sent } = call
      const rehearsed = await rehearse(() => operation.run(call))
      // It is refused already, or changes nothing.
      if ('result' in rehearsed) return rehearsed.result
      const content = {
        method,
        route,
        uri: sent.uri,
        privilege,
        callHash: rehearsed.call,
        withdraws: withdraws(call.body),
        ...(sent.body === '' ? {} : { body: sent.body }),
      }
      return requestApproval(deps, 'Operation', content, { requestId, actor })
    },
  }
}

/** @param all the operations as they run when approved */
export function operationDecisions(
  deps: Deps,
  all: () => readonly GuardedOperation[],
): readonly Operation[] {
  return [
    pendingOperation(deps, ['Operation'], 'GetPendingOperations', 'any other change'),
    writes(
      'POST',
      '/ApproveOperation',
      verdict,
      {
        about:
          'Approves or rejects any other change; the maker may not. An approved one runs at once',
        answers: { 200: shownOutcome },
        refuses: ofDecision,
      },
      async ({ body, actor, token }) => {
        const decided = await decideApproval(deps, ['Operation'], body, actor)
        if (decided.outcome === 'refused') return decided
        const { approval, isApprovedNow } = decided
        const outcome = isApprovedNow
          ? await outcomeOf(deps, all(), approval, { name: actor, token })
          : await storedOutcome(deps, approval)
        return answered(200, { ...requestBody(approval), outcome })
      },
    ),
  ]
}

/** What was sent, as it is stored. */
const sentOperation = z.object({
  method: z.string(),
  route: z.string(),
  uri: z.string(),
  body: z.string().optional(),
  callHash: z.string(),
})

interface SentOperation extends z.infer<typeof sentOperation> {
  readonly requestId: string
  readonly createdBy: string
}

type OperationOutcome = { readonly status: number; readonly body: Json }

async function storedOutcome(
  { operators }: Deps,
  { requestId }: Approval,
): Promise<OperationOutcome | null> {
  const { status } = await operators.GetOperationOutcome({ requestId })
  return status === undefined ? null : { status, body: null }
}

interface Approver {
  readonly name: string
  readonly token: string
}

/** Runs it once; where its end is lost, the status stays unknown. */
async function outcomeOf(
  deps: Deps,
  all: readonly GuardedOperation[],
  approval: Approval,
  approver: Approver,
): Promise<OperationOutcome | null> {
  const { requestId, createdBy, contentJson } = approval
  const operation = sentOperation.parse(JSON.parse(contentJson))
  const proof = { token: approver.token, requestId, call: operation.callHash }
  const request = { ...operation, requestId, createdBy }
  const answer = await asOperator(proof, () => run(all, request, approver.name))
  if (answer === 'LOST') return null
  const { status, body = null } = statusOf(answer, deps)
  await deps.operators.NoteOperationOutcome({ requestId, status, actor: approver.name })
  return { status, body }
}

function statusOf(
  answer: OperationResult,
  { settings }: Deps,
): { readonly status: number; readonly body: Json | undefined } {
  if (answer.outcome === 'refused') return errorAnswer(answer, settings.COMPATIBILITY)
  if (answer.outcome === 'file') throw new Error('a change was answered with a file')
  return answer
}

async function run(
  all: readonly GuardedOperation[],
  request: SentOperation,
  approver: string,
): Promise<OperationResult | 'LOST'> {
  const { method, route } = request
  const operation = all.find((one) => one.method === method && one.path === route)
  // Another release has it.
  if (operation === undefined) return refused('URI_UNKNOWN', `${method} ${route}`)
  const call = callOf(operation, request, approver)
  if (call.outcome === 'refused') return call
  try {
    return await operation.run(call.value)
  } catch (error) {
    if (error instanceof NotApproved) {
      return refused('STALE', 'what it changes has changed since it was requested: send it again')
    }
    if (isOutage(error)) return 'LOST'
    throw error
  }
}

/** The call as its maker sent it, with the one who approved it. */
function callOf(
  operation: GuardedOperation,
  { requestId: newId, route, uri, body = '', createdBy: actor }: SentOperation,
  approver: string,
): Read<Parameters<Operation['run']>[0]> {
  const { pathname, searchParams } = new URL(uri, 'http://hub')
  const inPath = read(pathOf(operation), variablesIn(route, pathname))
  if (inPath.outcome === 'refused') return inPath
  const inQuery = read(operation.query, Object.fromEntries(searchParams))
  if (inQuery.outcome === 'refused') return inQuery
  const inBody: Read<unknown> =
    operation.body === null
      ? { outcome: 'read', value: undefined }
      : read(operation.body, readJson(body))
  if (inBody.outcome === 'refused') return inBody
  return {
    outcome: 'read',
    value: {
      ...inPath.value,
      actor,
      approver,
      newId,
      token: '',
      address: '',
      sent: { uri, body },
      wanted: 'json',
      query: inQuery.value,
      body: inBody.value,
      header: () => '',
    },
  }
}

function variablesIn(route: string, pathname: string): Readonly<Record<string, string>> {
  const segments = pathname.split('/')
  const named = route
    .split('/')
    .flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), segments[at] ?? '']] : []))
  return Object.fromEntries(
    named.map(([name = '', value = '']) => [name, decodeURIComponent(value)]),
  )
}

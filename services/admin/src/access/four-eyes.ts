/**
 * Four eyes for the whole API (FOUR_EYES=required): what one operator sends is stored, and runs when
 * another one approves it, as the operation that it is. The table below has the only exceptions.
 */
import { randomUUID } from 'node:crypto'
import { asOperator } from '@causeway/grpc'
import { isOutage } from '@causeway/process'
import type { OperationRequest } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type Answer } from '../answer.ts'
import { errorAnswer } from '../contract.ts'
import { read, type Read } from '../fields.ts'
import { numberMember, readJson, type Json } from '../json.ts'
import { verdict } from '../lifecycle/bodies.ts'
import { pathOf, reads, writes, type Operation } from '../operation.ts'
import { shownRequest } from '../lifecycle/shown.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
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
  'POST /crypto-adapter-set': 'another person decides about it already',
  'POST /config/schemas/:boundedContextId': 'another person decides about values already',
  'POST /config/secrets/:boundedContextId': 'another person decides about values already',
  'POST /participants/:name/certifications': 'it stores evidence, and changes nothing else',
  'DELETE /operators/:operator/sessions': 'it only ends what a thief could use',
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
  const answers = { 202: own ? z.union([shownRequest, own]) : shownRequest }
  return {
    ...operation,
    about: {
      ...about,
      about: `${about.about}. Another person must approve it`,
      answers,
      refuses: [...(about.refuses ?? []), 'BUSY'],
    },
    async run({ actor, sent: { uri, body } }) {
      const { decided, refusal } = await deps.operationRequests.RequestOperation({
        requestId: randomUUID(),
        method,
        route,
        uri,
        privilege,
        actor,
        ...(body === '' ? {} : { body }),
      })
      if (refusal) return refusedUpstream(refusal)
      if (!decided?.request) throw new Error('a request was stored, but not returned')
      return answered(202, requestBody(decided.request))
    },
  }
}

/** @param all the operations as they run when approved */
export function operationDecisions(
  deps: Deps,
  all: () => readonly GuardedOperation[],
): readonly Operation[] {
  return [
    reads(
      '/GetPendingOperations',
      {
        about: 'Pending requests: any other change; newest first, at most 1,000',
        answers: { 200: z.array(shownRequest) },
      },
      async () => {
        const state = 'PEND-APPROVAL'
        const { requests } = await deps.operationRequests.ListOperationRequests({ state })
        return answered(200, requests.map(requestBody))
      },
    ),
    writes(
      'POST',
      '/ApproveOperation',
      verdict,
      {
        about:
          'Approves or rejects any other change; the maker may not. An approved one runs at once',
        answers: { 200: shownOutcome },
        refuses: ['REQUEST_UNKNOWN', 'REQUEST_DECIDED', 'SAME_PERSON'],
      },
      async ({ body: { requestId, decision, note = '' }, actor, token }) => {
        const message = { requestId, decision, note, actor }
        const { decided, refusal } = await deps.operationRequests.DecideOperation(message)
        if (refusal) return refusedUpstream(refusal)
        if (!decided?.request) throw new Error('a request was decided, but not returned')
        const { request, runs } = decided
        const outcome = runs
          ? await outcomeOf(deps, all(), request, { name: actor, token })
          : storedOutcome(request)
        return answered(200, { ...requestBody(request), outcome })
      },
    ),
  ]
}

type Outcome = { readonly status: number; readonly body: Json }

function storedOutcome({ status }: OperationRequest): Outcome | null {
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
  request: OperationRequest,
  approver: Approver,
): Promise<Outcome | null> {
  const { requestId } = request
  const proof = { token: approver.token, requestId }
  const answer = await asOperator(proof, () => run(all, request, approver.name))
  if (answer === 'LOST') return null
  const { status, body = null } = statusOf(answer, deps)
  await deps.operationRequests.NoteOperationOutcome({ requestId, status })
  return { status, body }
}

function statusOf(
  answer: Answer,
  { settings }: Deps,
): { readonly status: number; readonly body: Json | undefined } {
  if (answer.outcome === 'refused') return errorAnswer(answer, settings.COMPATIBILITY)
  if (answer.outcome === 'file') throw new Error('a change was answered with a file')
  return answer
}

async function run(
  all: readonly GuardedOperation[],
  request: OperationRequest,
  approver: string,
): Promise<Answer | 'LOST'> {
  const { method, route } = request
  const operation = all.find((one) => one.method === method && one.path === route)
  // An earlier release had it.
  if (operation === undefined) return refused('URI_UNKNOWN', `${method} ${route}`)
  const call = callOf(operation, request, approver)
  if (call.outcome === 'refused') return call
  try {
    return await operation.run(call.value)
  } catch (error) {
    if (isOutage(error)) return 'LOST'
    throw error
  }
}

/** The call as its maker sent it, with the one who approved it. */
function callOf(
  operation: GuardedOperation,
  { route, uri, body = '', createdBy: actor }: OperationRequest,
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

/** Like the requests of other kinds. */
function requestBody(request: OperationRequest) {
  const { requestId, method, uri, body, createdBy, createdAt, decidedBy, decidedAt } = request
  const state: z.infer<typeof shownRequest>['state'] =
    request.state === 'APPROVED' || request.state === 'REJECTED' ? request.state : 'PEND-APPROVAL'
  return {
    requestId,
    type: 'Operation',
    state,
    createdBy,
    createdDate: createdAt,
    change: {
      operation: `${method} ${uri}`,
      ...(body === undefined ? {} : { body: withPlainNumbers(readJson(body)) }),
    },
    decidedBy: decidedBy ?? null,
    decidedDate: decidedAt ?? null,
    note: request.note,
  } satisfies Json
}

/** Numbers are shown as the text that was sent. */
function withPlainNumbers(value: unknown): Json {
  if (Array.isArray(value)) return value.map(withPlainNumbers)
  if (typeof value !== 'object' || value === null) return value as Json
  const members = Object.entries(value)
  const [first] = members
  if (members.length === 1 && first?.[0] === numberMember) return String(first[1])
  return Object.fromEntries(members.map(([name, member]) => [name, withPlainNumbers(member)]))
}

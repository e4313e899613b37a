/**
 * Processes a batch of events about consents: reads the stored state, checks credentials and
 * signatures, decides under lock on the state as of then, and stores and announces the decisions in
 * one transaction. Events of one consent or one verification request stay in order.
 */
import type { X509Certificate } from 'node:crypto'
import type { OutgoingMessage } from '@causeway/bus'
import { roundsOf } from '@causeway/events'
import { allOf } from '@causeway/process'
import { messageOf } from './announce.ts'
import { parseEvent, type ConsentCommand, type ConsentEvent, type Question } from './contract.ts'
import { consentIdOf, decide, type DecisionContext } from './decide.ts'
import type { Decision } from './domain/decision.ts'
import { decideQuery } from './domain/query.ts'
import { decideVerificationQuery } from './domain/verify.ts'
import { examine, type Checks } from './examine.ts'
import type { ConsentStore, DecidedConsent, Keys, StoredConsents } from './store.ts'

export interface ConsentWork extends DecisionContext {
  /** Of the makers of authenticators; empty: any maker is accepted. */
  readonly roots: readonly X509Certificate[]
  readonly store: ConsentStore
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>
  readonly now: () => Date
  /** Called with each stored decision. */
  readonly onDecided: (decision: Decision) => void
}

export async function handleBatch(
  work: ConsentWork,
  events: readonly ConsentEvent[],
): Promise<void> {
  const asked = events.flatMap((event) => parseEvent(event, work.participant) ?? [])
  for (const round of roundsOf(asked, idsOf)) {
    await allOf([carryOut(work, round.filter(isCommand)), answer(work, round.filter(isQuestion))])
  }
}

/** No two commands concern the same consent or verification request. */
export async function carryOut(
  work: ConsentWork,
  commands: readonly ConsentCommand[],
): Promise<void> {
  let open = commands
  let known = open.length === 0 ? undefined : await work.store.read(keysOf(open))
  // A check that found no state to check against is repeated on the state that was read since.
  while (known !== undefined && open.length > 0) {
    const checks = await examineAll(open, known, work.roots)
    ;({ open, known } = await settle(work, checks))
  }
}

export type Examined = readonly (readonly [ConsentCommand, Checks])[]

export function examineAll(
  commands: readonly ConsentCommand[],
  known: StoredConsents,
  roots: readonly X509Certificate[],
): Promise<Examined> {
  return Promise.all(
    commands.map(async (command) => [command, await examine(command, known, roots)] as const),
  )
}

/**
 * Decides, stores and announces; returns the commands that need a check, and the state that was
 * read.
 */
async function settle(work: ConsentWork, examined: Examined) {
  let open: readonly ConsentCommand[] = []
  let decided: readonly DecidedConsent[] = []
  const keys = { ...keysOf(examined.map(([command]) => command)), signed: signedIn(examined) }
  const known = await work.store.change(keys, work.now, (stored, now) => {
    const decisions = examined.map(([command, checks]) => ({
      command,
      decision: decide(command, stored, checks, work, now),
    }))
    open = decisions.flatMap(({ command, decision }) =>
      decision.type === 'UNEXAMINED' ? [command] : [],
    )
    decided = decisions.flatMap(({ command, decision }) =>
      decision.type === 'DECISION' ? [decidedOf(work, command, decision)] : [],
    )
    return decided
  })
  for (const { decision } of decided) work.onDecided(decision)
  return { open, known }
}

function decidedOf(
  { participant }: DecisionContext,
  command: ConsentCommand,
  decision: Decision,
): DecidedConsent {
  const { eventId, traceparent } = command
  const messages = decision.answers.map((one) => messageOf(one, { participant, traceparent }))
  return { consentId: consentIdOf(command), eventId, decision, messages }
}

async function answer(work: ConsentWork, questions: readonly Question[]): Promise<void> {
  if (questions.length === 0) return
  const { participant, store } = work
  const [found, known] = await Promise.all([
    store.find(questions.flatMap((one) => (one.type === 'QUERY' ? [one.query.consentId] : []))),
    store.read({
      consentIds: [],
      eventIds: [],
      signed: [],
      verificationRequestIds: questions.flatMap((one) =>
        one.type === 'QUERY_VERIFICATION' ? [one.query.verificationRequestId] : [],
      ),
    }),
  ])
  const messages = questions.flatMap((question) => {
    const { traceparent } = question
    return answerOf(question).answers.map((one) => messageOf(one, { participant, traceparent }))
  })
  await work.publish(messages)

  function answerOf(question: Question): Decision {
    if (question.type === 'QUERY') {
      const { consent, parties } = found.get(question.query.consentId) ?? {}
      return decideQuery(consent, parties, question.query)
    }
    const verification = known.verifications.get(question.query.verificationRequestId)
    const consent = known.consents.get(verification?.consentId ?? '')
    return decideVerificationQuery({ consent, verification }, question.query)
  }
}

function isCommand(asked: ConsentCommand | Question): asked is ConsentCommand {
  return asked.type !== 'QUERY' && asked.type !== 'QUERY_VERIFICATION'
}

function isQuestion(asked: ConsentCommand | Question): asked is Question {
  return !isCommand(asked)
}

export function keysOf(commands: readonly ConsentCommand[]): Keys {
  return {
    consentIds: [...new Set(commands.map(consentIdOf))],
    verificationRequestIds: commands.flatMap((command) =>
      command.type === 'VERIFY' ? [command.request.verificationRequestId] : [],
    ),
    eventIds: commands.map(({ eventId }) => eventId),
    signed: [],
  }
}

/** The challenges that were found signed. */
function signedIn(examined: Examined): Keys['signed'] {
  return examined.flatMap(([command, { signature }]) =>
    signature?.type === 'VALID'
      ? [{ consentId: consentIdOf(command), signedHash: signature.signedHash }]
      : [],
  )
}

/** A round has at most one entry per consent and per verification request. */
export function idsOf(asked: ConsentCommand | Question): readonly string[] {
  switch (asked.type) {
    case 'QUERY':
      return [`consent ${asked.query.consentId}`]
    case 'QUERY_VERIFICATION':
      return [`verification ${asked.query.verificationRequestId}`]
    case 'VERIFY':
      return [
        `consent ${asked.request.consentId}`,
        `verification ${asked.request.verificationRequestId}`,
      ]
    default:
      return [`consent ${consentIdOf(asked)}`]
  }
}

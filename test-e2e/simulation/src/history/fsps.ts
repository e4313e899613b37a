/** FSPs outside of the hub: they repeat what was not answered, and answer as planned. They never forget. */
import { randomUUID } from 'node:crypto'
import { HttpFailure, type HttpAnswer, type HttpRequest } from '@causeway/http'
import { chance, now_ms, ownedBy, rest } from '../virtual/world.ts'
import type { Faults } from './faults.ts'
import type { Bulks } from './bulks.ts'
import { Links } from './links/links.ts'
import type { LinkRecord } from './links/link-record.ts'
import {
  answerOf,
  callbackIn,
  fspAt,
  hasItsList,
  isThirdParty,
  lookupOf,
  partyAnswerOf,
  partyOf,
  prepareOf,
  quoteOf,
  termsOf,
  type Callback,
} from './messages.ts'
import type { PayeeAnswer, Lead } from './plan/plan.ts'
import {
  isAccepted,
  newSent,
  type PayeeMessage,
  type Question,
  type TransferRecord,
} from './record.ts'
import { sweptAfter_ms } from '../hub/services.ts'
import { way_ms_max, type Sender } from './sender.ts'

/** A payer FSP waits so long for what it has asked, and then pays all the same. */
const question_ms_max = 2_000
const look_ms = 20
/** From when a payee FSP gives its terms. */
const terms_ms = 60_000

export class Fsps {
  readonly links: Links
  readonly #sender: Sender
  readonly #faults: Pick<Faults, 'callbackFate'>
  readonly #bulks: Bulks
  #records: readonly TransferRecord[] = []
  #wrong: string[] = []

  constructor(sender: Sender, bulks: Bulks, faults: Pick<Faults, 'callbackFate'>) {
    this.#bulks = bulks
    this.#sender = sender
    this.#faults = faults
    this.links = new Links(sender, this)
  }

  /** The transfers and links of the next history; transfers that pay from links come to the others. */
  begin(records: TransferRecord[], links: readonly LinkRecord[]): void {
    this.#records = records
    this.links.begin(links, records)
  }

  /** What was wrong with what the hub has relayed, since this was last asked. */
  takeWrong(): readonly string[] {
    return [...this.links.takeWrong(), ...this.#wrong.splice(0)]
  }

  /** Receives a callback. */
  async answer(request: HttpRequest): Promise<HttpAnswer> {
    await rest(chance().below(way_ms_max))
    const fate = this.#faults.callbackFate()
    if (fate === 'REFUSED') throw new HttpFailure('REFUSED', 'connection refused')
    if (typeof fate === 'number') {
      if (fate < 500) this.#refuse(request)
      return answerWith(fate)
    }
    if (fate !== 'HANGS') this.#take(request)
    if (fate !== 'ARRIVES') return new Promise(() => {})
    return answerWith(request.method === 'PUT' ? 200 : 202)
  }

  async pay(record: TransferRecord): Promise<void> {
    const { planned, prepare } = record
    await rest(planned.begins_ms)
    for (const lead of planned.leads) await this.question(record, lead)
    await this.prepare(record)
    // What was refused at once is not repeated.
    if (!isAccepted(prepare)) return
    for (const again of planned.again) {
      await rest(chance().below(500))
      await this.#sender.send(newSent(), () => prepareOf(record, again === 'OTHER'))
    }
  }

  /** Sends the request of a transfer. */
  async prepare(record: TransferRecord): Promise<void> {
    record.expires_ms = now_ms() + record.planned.valid_ms
    await this.#sender.send(record.prepare, () => prepareOf(record, false))
  }

  /** Asks what leads to a transfer, and waits for the answer. */
  async question(record: TransferRecord, kind: Lead): Promise<void> {
    const about = kind === 'QUOTE' ? randomUUID() : partyOf(record.planned.payee)
    const transactionId = randomUUID()
    const question: Question = {
      kind,
      about,
      asked: newSent(),
      answered: undefined,
      callbacks: [],
    }
    record.questions.push(question)
    await this.#sender.send(question.asked, () =>
      kind === 'QUOTE' ? quoteOf(record, about, transactionId) : lookupOf(record),
    )
    const until_ms = now_ms() + question_ms_max
    while (question.callbacks.length === 0 && now_ms() < until_ms) await rest(look_ms)
  }

  #take(request: HttpRequest): void {
    const address = new URL(request.url)
    if (address.pathname.startsWith('/bulkTransfers')) {
      this.#bulks.take(fspAt(address), request)
      return
    }
    if (isThirdParty(address)) {
      this.links.take(request)
      return
    }
    const callback = callbackIn(request)
    if (callback === undefined) return
    if (callback.resource !== 'transfers') this.#takeQuestion(callback)
    else {
      const record = this.#records.find(({ id }) => id === callback.about)
      if (record === undefined) return
      if (!hasItsList(record, callback)) {
        this.#wrong.push(`${record.id} reached ${callback.to} with another list`)
      }
      if (callback.asks) this.#ask(record)
      else note(record, callback)
    }
  }

  /** What is refused for good has been read; a payment that is refused like that is not answered. */
  #refuse(request: HttpRequest): void {
    if (request.method === 'PUT' || request.method === 'PATCH') {
      this.#take(request)
      return
    }
    const callback = callbackIn(request)
    const record = this.#records.find(({ id }) => id === callback?.about)
    if (record !== undefined) record.isRefused = true
  }

  /** Lookups of one party are the same to all who have asked. */
  #takeQuestion({ resource, about, asks, isError, to }: Callback): void {
    const kind = resource === 'quotes' ? 'QUOTE' : 'LOOKUP'
    for (const record of this.#records) {
      for (const question of record.questions) {
        if (question.kind !== kind || question.about !== about) continue
        if (asks) ownedBy(undefined, () => void this.#answerQuestion(record, question))
        else if (to === record.planned.payer) question.callbacks.push(isError ? 'ERROR' : 'ANSWER')
      }
    }
  }

  /** Once; the hub may ask twice. */
  async #answerQuestion(record: TransferRecord, question: Question): Promise<void> {
    if (question.answered !== undefined) return
    const answered = newSent()
    question.answered = answered
    await rest(chance().below(50))
    const { kind, about } = question
    await this.#sender.send(answered, () =>
      kind === 'QUOTE' ? termsOf(record, about, now_ms() + terms_ms) : partyAnswerOf(record),
    )
  }

  #ask(record: TransferRecord): void {
    record.asked += 1
    if (record.asked === 1) ownedBy(undefined, () => void this.#answerAll(record))
  }

  async #answerAll(record: TransferRecord): Promise<void> {
    const answers = record.planned.answers.filter((answer) => answer !== 'SILENT')
    // Known at once, so that the history waits for them.
    const messages = answers.map((answer) => ({
      answer,
      ending: { ...newSent(), kind: kindOf(answer) },
    }))
    record.sent.push(...messages.map(({ ending }) => ending))
    await rest(chance().below(50))
    for (const { answer, ending } of messages) {
      if (answer === 'JUST') await rest(record.expires_ms - now_ms() - 50 - chance().below(300))
      if (answer === 'SWEPT')
        await rest(sweptAfter_ms(record.expires_ms) - 60 + chance().below(120))
      if (answer === 'LATE') await rest(record.expires_ms - now_ms() - 200 + chance().below(2_000))
      await this.#sender.send(ending, () => answerOf(record, ending.kind, answer === 'RESERVE'))
      await rest(chance().below(300))
    }
  }
}

function note(record: TransferRecord, { to, end }: Callback): void {
  if (end === undefined) return
  record.ended_ms ??= now_ms()
  if (to === record.planned.payer) record.payerEnds.push(end)
  else record.payeeEnds.push(end)
}

function answerWith(status: number): HttpAnswer {
  return { status, headers: {}, body: Buffer.alloc(0), truncated: false }
}

function kindOf(answer: Exclude<PayeeAnswer, 'SILENT'>): PayeeMessage['kind'] {
  if (answer === 'REJECT' || answer === 'WRONG') return answer
  return 'FULFIL'
}

/** Broken lines of the hub, one at a time: the simulation has to find each. */

export interface Mutant {
  /** What is broken. */
  readonly name: string
  readonly file: string
  /** Occurs once in the file. */
  readonly from: string
  readonly to: string
  /** Only replicas over Kafka can show it. */
  readonly isDistributed?: true
}

export const mutants: readonly Mutant[] = [
  {
    name: 'The bus delivers what was rolled back',
    file: 'libs/bus/src/embedded/writer.ts',
    from: `          // COMMIT is not sent after this, so the transaction is rolled back in any case.
          span.rolledBack()`,
    to: '          span.committed()',
  },
  {
    name: 'A commit without an answer counts as rolled back',
    file: 'libs/postgres/src/transaction.ts',
    from: '      ticket.unknown()\n',
    to: '      ticket.rolledBack()\n',
  },
  {
    name: 'The bus delivers a number before the ones before it are known',
    file: 'libs/bus/src/embedded/sequence.ts',
    from: "head !== undefined && head.outcome !== 'open'; head = spans[0]",
    to: 'head !== undefined; head = spans[0]',
  },
  {
    name: 'A group stores offsets ahead of its work',
    file: 'libs/bus/src/embedded/member.ts',
    from: '    offsets() {\n      const n = finishedUpTo()',
    to: '    offsets() {\n      const n = handedOver()',
  },
  {
    name: 'A group begins behind what it has not finished',
    file: 'libs/bus/src/embedded/member.ts',
    from: 'position: Math.min(...starts.values()),',
    to: 'position: handedOver(),',
  },
  {
    name: 'Transfers expire ahead of the messages',
    file: 'services/transfers/src/expiry/sweep.ts',
    from: 'Math.min(now_ms, (await lowWatermarks[which]()).getTime())',
    to: '(await lowWatermarks[which](), now_ms)',
  },
  {
    name: 'A transfer that another attempt has moved is announced again',
    file: 'services/transfers/src/move.ts',
    from: `  const from = moved.get(transfer.transferId)
  const becomes = from === undefined ? undefined : consequence[from]
  const announced`,
    to: `  const from = moved.get(transfer.transferId) ?? 'RECEIVED'
  const becomes = from === undefined ? undefined : consequence[from]
  const announced`,
  },
  {
    name: 'A move is not announced',
    file: 'services/transfers/src/move.ts',
    from: 'if (announced !== undefined && transfer.bulkTransferId === undefined) {',
    to: "if (announced !== undefined && transfer.state !== 'ABORTED') {",
  },
  {
    name: 'The edge answers before a message is durable',
    file: 'services/fspiop-api/src/service.ts',
    from: `      bus.publish(events).then(() => {
        clearTimeout(timer)
        resolve()
      }, fail)`,
    to: `      resolve()
      bus.publish(events).then(() => clearTimeout(timer), fail)`,
  },
  {
    name: 'Callbacks count as finished before they are delivered or stored',
    file: 'services/notifications/src/handle.ts',
    from: '    batch.until(\n      attempts',
    to: `    const ignore = (work) => void work.catch(() => undefined)
    ignore(
      attempts`,
  },
  {
    name: 'A fulfilment that does not fit is accepted',
    file: 'services/transfers/src/domain/decide.ts',
    from: 'return fulfil.fulfilment !== undefined && fulfils(fulfil.fulfilment, transfer.condition)',
    to: 'return fulfil.fulfilment !== undefined',
  },
  {
    name: 'The writer of the ledger takes an outage for a refusal',
    file: 'services/ledger/src/writer.ts',
    from: '    if (isOutage(error)) throw error\n    const [first] = commands',
    to: '    const [first] = commands',
  },
  {
    name: 'The ledger posts by its own clock, not by the moment of receipt',
    file: 'services/ledger/src/domain/transfer.ts',
    from: 'isExpired(expiresAt, receiptOf(command.receivedAt, book.now))',
    to: 'isExpired(expiresAt, book.now)',
  },
  {
    name: 'The ledger voids for time before the expiration',
    file: 'services/ledger/src/domain/transfer.ts',
    from: 'untilExpired_ms(expiresAt, grace_ms, book.now)',
    to: 'untilExpired_ms(expiresAt, -5_000, book.now)',
  },
  {
    name: 'The ledger posts what is final',
    file: 'services/ledger/src/domain/transfer.ts',
    from: "  if (stored.outcome !== 'RESERVED') return { type: 'EXISTS', entry: stored }\n  const { terms",
    to: '  const { terms',
  },
  {
    name: 'The ledger reserves beyond the cover',
    file: 'services/ledger/src/domain/transfer.ts',
    from: "if (isChecked && position + amount > cover) return 'COVER_SHORT'",
    to: "if (isChecked && position > cover + amount) return 'COVER_SHORT'",
  },
  {
    name: 'The journal lacks what was voided',
    file: 'services/ledger/src/domain/book.ts',
    from: '        journal.push({ entryId: entry.id, ...movement })',
    to: "        if (movement.step !== 'VOID') journal.push({ entryId: entry.id, ...movement })",
  },
  {
    name: 'The net of a window lacks the side of the payee FSP',
    file: 'services/ledger/src/domain/book.ts',
    from: '      add(settlement.modelId, accounts.creditAccountId, -terms.amount)\n',
    to: '',
  },
  {
    name: 'What is settled at once is settled with its window again',
    file: 'services/ledger/src/domain/transfer.ts',
    from: 'windowId: isGross ? null : book.windowId,',
    to: 'windowId: book.windowId,',
  },
  {
    name: 'A transfer that is voided leaves its fee reserved',
    file: 'services/ledger/src/domain/transfer.ts',
    from: `    movements: [
      { step: 'VOID', ...accounts, amount: terms.amount },
      ...heldFee(book, 'FEE_VOID', stored),
    ],`,
    to: "    movements: [{ step: 'VOID', ...accounts, amount: terms.amount }],",
  },
  {
    name: 'An FSP that is switched off pays and is paid',
    file: 'services/ledger/src/domain/transfer.ts',
    from: 'return !party.isActive || accounts.some(',
    to: 'return accounts.some(',
  },
  {
    name: 'Funds out that are aborted pay what a settlement left unpaid',
    file: 'services/ledger/src/domain/book.ts',
    from: "if (step !== 'POST' && !(step === 'VOID' && wasHeldBefore)) return",
    to: "if (step !== 'POST' && step !== 'VOID') return",
  },
  {
    name: 'The abort of a settlement gives back what it has not taken',
    file: 'services/settlements/src/settlements/domain/movements.ts',
    from: "return state !== 'ABORTED' && hasReached(state, 'PS_TRANSFERS_RESERVED')",
    to: "return state !== 'ABORTED'",
  },
  {
    name: 'Funds leave that are not there',
    file: 'services/ledger/src/domain/withdraw.ts',
    from: 'if (amount > withdrawable(',
    to: 'if (amount > 10n * withdrawable(',
  },
  {
    name: 'Answers about a bulk are judged by the time of work',
    file: 'services/transfers/src/bulks/answer.ts',
    from: 'posts.push({ transferId, receivedAt: message.receivedAt, evidence })',
    to: 'posts.push({ transferId, receivedAt: now, evidence })',
  },
  {
    name: 'Messages about bulks keep single transfers from expiring',
    file: 'services/transfers/src/service.ts',
    from: 'singles: () => ofTransfers.lowWatermark(),',
    to: `singles: async () => {
        const marks = await Promise.all([ofTransfers.lowWatermark(), ofBulks.lowWatermark()])
        return new Date(Math.min(...marks.map(Number)))
      },`,
  },
  {
    name: 'An id twice in a bulk is reported as paid twice',
    file: 'services/transfers/src/bulks/domain/bulk.ts',
    from: 'const found = seen.has(transferId) ? undefined : stored.get(transferId)',
    to: 'const found = stored.get(transferId)',
  },
  {
    name: 'Extension lists of a bulk are bounded for each item alone',
    file: 'services/transfers/src/bulks/domain/extensions.ts',
    from: 'return Math.floor(extensions_bytes_max / items)',
    to: 'return items > 0 ? extensions_bytes_max : 0',
  },
  {
    name: 'An answer is stored in the month in which it comes',
    file: 'services/transfers/src/store.ts',
    from: 'select moved.month, id, kind, event_id, body, headers, received_at',
    to: `select date_trunc('month', $16::timestamptz at time zone 'UTC')::date, id, kind, event_id, body,
      headers, received_at`,
  },
  {
    name: 'The journal is filed by a clock that is late',
    file: 'services/ledger/src/journal-months.ts',
    from: 'return filedMonthOf(time, madeAt, months_ahead)',
    to: 'return filedMonthOf(new Date(Number(time) - 60_000), madeAt, months_ahead)',
  },
  {
    name: 'A changed setting applies a minute later',
    file: 'libs/live-settings/src/values.ts',
    from: '      if (isNews) refreshSoon()',
    to: '      if (isNews && iteration < 0) refreshSoon()',
  },
  {
    name: 'A fee is that of the moment in which a transfer is posted',
    file: 'services/ledger/src/domain/fee.ts',
    from: '  const { id, parties, fee } = stored\n',
    to: '  const { id, parties } = stored\n  const fee = feeFor(book, parties, terms)\n',
  },
  {
    name: 'The cap is held against what an FSP owed before',
    file: 'services/ledger/src/domain/transfer.ts',
    from: "return position + amount > cap ? 'CAP_SHORT' : null",
    to: "return position > cap ? 'CAP_SHORT' : null",
  },
  {
    name: 'The approval of a change is not in the audit log',
    file: 'libs/approvals/src/approvals.ts',
    from: `  await saveDecision(tx, decided)
  audit(`,
    to: `  await saveDecision(tx, decided)
  if (decided.state === 'REJECTED') audit(`,
  },
  {
    name: 'A third-party payment that has ended goes on',
    file: 'services/auth-service/src/consents/pisp/domain/transaction.ts',
    from: '  if (endedAt !== undefined) return named\n',
    to: '',
  },
  {
    name: 'Third-party messages count as stored before they are',
    file: 'services/auth-service/src/consents/pisp/open.ts',
    from: `(events) =>
    saveSteps(
      db,
      events.map((event) => stepOf(event, participant)),
      new Date(),
    ),`,
    to: `async (events) => {
      const steps = events.map((event) => stepOf(event, participant))
      void saveSteps(db, steps, new Date()).catch(() => undefined)
    },`,
  },
  {
    name: 'A consent that its DFSP revokes at the PISP stays in force',
    file: 'services/fspiop-api/src/pisp/consents.ts',
    from: 'return relay(message, parts.rules, { ...relaying, alongside: [event] })',
    to: 'return relay(message, parts.rules, relaying)',
  },
  {
    name: 'A registration that comes twice is refused',
    file: 'services/auth-service/src/consents/domain/register.ts',
    from: 'answers: [isSame ? answerAgain(consent, again) : refusal(again, ',
    to: 'answers: [refusal(again, ',
  },
  {
    name: 'A repeated step of a settlement moves its money again',
    file: 'services/settlements/src/settlements/step.ts',
    from: 'entryId: derivedId(`settlement/${settlementId}`, name),',
    to: 'entryId: randomUUID(),',
  },
  {
    name: 'The administration API switches no FSP off',
    file: 'services/admin/src/participants/participants.ts',
    from: 'UpdateParticipantState({ name, isActive, actor })',
    to: 'UpdateParticipantState({ name, isActive: true, actor })',
  },
  {
    name: 'An entry that reaches the audit log twice is recorded twice',
    file: 'services/audit/src/recording.ts',
    from: 'if (known.get(id) === hash || known.has(second)) continue',
    to: 'if (known.get(id) === hash) { fresh.push({ id: second, row }); continue }',
  },
  {
    name: 'Any FIDO signature is right',
    file: 'libs/credentials/src/fido.ts',
    from: 'const isRight = verify(digest, signed, key, signature)',
    to: 'const isRight = verify(digest, signed, key, signature) || signed.length > 0',
  },
  {
    name: 'A FIDO credential may be made for another consent',
    file: 'libs/credentials/src/fido.ts',
    from: "return challenges.includes(challenge) ? data : 'the challenge is different'",
    to: "return challenge.length > 0 ? data : 'the challenge is different'",
  },
  {
    name: 'Any signature is right',
    file: 'libs/credentials/src/generic.ts',
    from: "signedBy(key, challengeReadings(challenge), Buffer.from(data, 'base64'))",
    to: "signedBy(key, challengeReadings(challenge), Buffer.from(data, 'base64')) ?? Buffer.from(data)",
  },
  {
    name: 'A group does not store what it has finished',
    file: 'libs/bus/src/embedded/offsets.ts',
    from: '    if (moved.length === 0) return\n',
    to: '    if (moved.length < 1_000) return\n',
  },
  {
    name: 'A movement of funds is not in the audit log',
    file: 'services/ledger/src/funds/handle.ts',
    from: "    if (outcome.type === 'DONE' && outcome.audited) announceAudit(bus, tx, by, outcome.audited)\n",
    to: '',
  },
  {
    name: 'A process commits back what others have passed meanwhile',
    file: 'libs/bus/src/kafka/members/assigned-partitions.ts',
    from: '            stays.committed = undefined\n',
    to: '',
    isDistributed: true,
  },
  {
    name: 'A process commits offsets of messages that it has only read',
    file: 'libs/bus/src/kafka/members/assigned-partitions.ts',
    from: '  return mark.lowest() ?? next\n',
    to: '  return next\n',
    isDistributed: true,
  },
  {
    name: 'An outbox deletes what the brokers have refused',
    file: 'libs/bus/src/kafka/outbox/outbox.ts',
    from: 'await within(send.all(oldest.records), hold_ms_max, what, stopping.signal)',
    to: 'await within(send.all(oldest.records), hold_ms_max, what, stopping.signal).catch(() => {})',
    isDistributed: true,
  },
  {
    name: 'The watermark does not wait for what other processes publish',
    file: 'libs/bus/src/kafka/members/low-watermark.ts',
    from: 'Math.min(at_ms - underWay_ms_max, announced_ms)',
    to: 'Math.min(at_ms, announced_ms)',
    isDistributed: true,
  },
  {
    name: 'The watermark counts what another process has read as processed',
    file: 'libs/bus/src/kafka/members/low-watermark.ts',
    from: '(done.get(nameOf(topic, partition)) ?? 0) >= offset',
    to: 'offset >= 0',
    isDistributed: true,
  },
]

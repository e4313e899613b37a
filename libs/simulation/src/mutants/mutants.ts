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
    file: 'services/transfers/src/sweep.ts',
    from: 'Math.min(now_ms, (await lowWatermark()).getTime())',
    to: '(await lowWatermark(), now_ms)',
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
    from: "if (position + amount > cover) return 'COVER_SHORT'",
    to: "if (position > cover + amount) return 'COVER_SHORT'",
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
    name: 'An FSP that is switched off pays and is paid',
    file: 'services/ledger/src/domain/transfer.ts',
    from: 'return !party.isActive || accounts.some(',
    to: 'return accounts.some(',
  },
  {
    name: 'Funds leave that are not there',
    file: 'services/ledger/src/domain/withdraw.ts',
    from: 'if (amount > withdrawable(',
    to: 'if (amount > 10n * withdrawable(',
  },
  {
    name: 'A third-party payment that has ended goes on',
    file: 'services/auth-service/src/third-party/domain/transaction.ts',
    from: '  if (endedAt !== undefined) return named\n',
    to: '',
  },
  {
    name: 'Third-party messages count as stored before they are',
    file: 'services/auth-service/src/third-party/open.ts',
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
    file: 'services/fspiop-api/src/thirdparty/consents.ts',
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
    file: 'services/admin/src/participants.ts',
    from: 'UpdateParticipantState({ name, isActive, actor })',
    to: 'UpdateParticipantState({ name, isActive: true, actor })',
  },
  {
    name: 'An entry that reaches the audit log twice is recorded twice',
    file: 'services/audit/src/recording.ts',
    from: '.filter(({ entry }) => !known.has(entry.id))',
    to: '',
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
    from: '  return isSignedBy(key, challengeReadings(challenge), Buffer.from(data, ',
    to: '  return data.length > 0 || isSignedBy(key, challengeReadings(challenge), Buffer.from(data, ',
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
    file: 'libs/bus/src/kafka/assigned-partitions.ts',
    from: '            stays.committed = undefined\n',
    to: '',
    isDistributed: true,
  },
  {
    name: 'A process commits offsets of messages that it has only read',
    file: 'libs/bus/src/kafka/assigned-partitions.ts',
    from: '  return mark.lowest() ?? next\n',
    to: '  return next\n',
    isDistributed: true,
  },
  {
    name: 'An outbox deletes what the brokers have refused',
    file: 'libs/bus/src/kafka/outbox.ts',
    from: 'await within(send.all(oldest.rows), hold_ms_max, what, stopping.signal)',
    to: 'await within(send.all(oldest.rows), hold_ms_max, what, stopping.signal).catch(() => {})',
    isDistributed: true,
  },
  {
    name: 'The watermark does not wait for what other processes publish',
    file: 'libs/bus/src/kafka/low-watermark.ts',
    from: 'Math.min(at_ms - underWay_ms_max, announced_ms)',
    to: 'Math.min(at_ms, announced_ms)',
    isDistributed: true,
  },
  {
    name: 'The watermark counts what another process has read as processed',
    file: 'libs/bus/src/kafka/low-watermark.ts',
    from: '(done.get(nameOf(topic, partition)) ?? 0) >= offset',
    to: 'offset >= 0',
    isDistributed: true,
  },
]

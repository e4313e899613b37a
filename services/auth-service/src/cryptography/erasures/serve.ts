/** Serves the keys of months to services, and erasures to operators, over gRPC. */
import { refusalMessage } from '@causeway/services'
import { stateMessages } from '@causeway/approvals'
import type { Handlers } from '@causeway/grpc'
import type { Erasure as ErasureMessage, erasuresService, monthKeysService } from '@causeway/protos'
import { isRefused } from '../../contract.ts'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { isErasable } from './domain/month.ts'
import { recordDisclosure, reportErasure, type ErasureParts } from './erasures.ts'
import type { MonthKeys } from './month-keys.ts'
import { allMonthKeys, erasures, type Erasure } from './store.ts'

const listed_max = 1_000

export function serveMonthKeys(keys: MonthKeys): Handlers<typeof monthKeysService> {
  return {
    async GetMonthKeys({ months, held: given }) {
      const held = given.map(({ month, thumbprint }) => ({
        month,
        thumbprint: thumbprint.toString('hex'),
      }))
      const found = await keys.get({ months, held }, new Date())
      return {
        keys: [...found.keys],
        erasedMonths: [...found.erasedMonths],
        lostMonths: [...found.lostMonths],
        currentMonths: [...found.currentMonths],
      }
    },
  }
}

/** @param kept_months whole months after its end before a month may be erased */
export function serveErasures(
  parts: ErasureParts,
  kept_months: number,
): Handlers<typeof erasuresService> {
  const { db } = parts
  return {
    ListMonths: async () => {
      const now = new Date()
      const keys = await allMonthKeys(db)
      return {
        months: keys.map(({ month, created_at, dropped_at }) => ({
          month,
          createdAt: created_at.toISOString(),
          erasable: dropped_at === null && isErasable(month, now, kept_months),
          ...(dropped_at === null ? {} : { erasedAt: dropped_at.toISOString() }),
        })),
      }
    },
    ListErasures: async () => ({
      erasures: (await erasures(db, listed_max)).map(erasureMessage),
    }),
    RecordDisclosure: async ({ subject, actor }) => {
      await recordDisclosure(parts, subject, actor)
      return {}
    },
    ReportErasure: async ({ requestId: id, progress, services }) => {
      if (progress === null) return answer(refuse('INVALID', 'progress is missing'))
      const { service, erased, next = null } = progress
      const report = { id, service, progress: { next, erased }, services, now: new Date() }
      return answer(await reportErasure(parts, report))
    },
  }
}

function answer(outcome: Erasure | RefusedCommand) {
  return isRefused(outcome)
    ? { refusal: refusalMessage(outcome) }
    : { erasure: erasureMessage(outcome) }
}

function erasureMessage(erasure: Erasure): ErasureMessage {
  const { month, person, decidedBy, decidedAt, finishedAt } = erasure
  return {
    requestId: erasure.id,
    ...(month === null ? {} : { month }),
    person:
      person === null
        ? null
        : {
            partyIdType: person.type,
            partyIdentifier: person.identifier,
            ...(person.subId === null ? {} : { partySubId: person.subId }),
          },
    state: stateMessages[erasure.state],
    createdBy: erasure.createdBy,
    createdAt: erasure.createdAt.toISOString(),
    ...(decidedBy === null || decidedAt === null
      ? {}
      : { decidedBy, decidedAt: decidedAt.toISOString() }),
    ...(erasure.note === null ? {} : { note: erasure.note }),
    progress: Object.entries(erasure.progress).map(([service, { next, erased }]) => ({
      service,
      erased,
      ...(next === null ? {} : { next }),
    })),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  }
}

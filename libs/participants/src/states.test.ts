import type { GrpcHost } from '@causeway/grpc'
import { openLog } from '@causeway/process'
import type { ParticipantStateChange } from '@causeway/protos'
import { expect, test } from '@jest/globals'
import { onParticipantStates } from './states.ts'

const suspended: ParticipantStateChange = {
  participantId: 'greenbank',
  oldStateName: 'ACTIVE',
  newStateName: 'SUSPENDED',
  isActive: false,
  version: 7,
  changedAt: '2026-03-01T12:00:00.000Z',
}

type Handler = (change: ParticipantStateChange) => Promise<{ readonly version: number }>

/** The served handler, and the versions that it reports. */
function receiver(): { readonly receive: Handler; readonly reported: number[] } {
  const reported: number[] = []
  let served: Handler | undefined
  const grpc: Pick<GrpcHost, 'serve'> = {
    serve(_, handlers) {
      served = (handlers as unknown as { ParticipantStateUpdated: Handler }).ParticipantStateUpdated
    },
  }
  const log = openLog({ name: 'test', level: 'silent' })
  onParticipantStates({ grpc, log }, 'transfers', ({ version }) => reported.push(version))
  if (served === undefined) throw new Error('nothing is served')
  return { receive: served, reported }
}

test('A newer state is reported once, and an older one is ignored', async () => {
  const { receive, reported } = receiver()
  expect(await receive(suspended)).toEqual({ version: 7 })
  expect(await receive(suspended)).toEqual({ version: 7 })
  expect(await receive({ ...suspended, version: 6 })).toEqual({ version: 7 })
  expect(await receive({ ...suspended, version: 9 })).toEqual({ version: 9 })
  expect(await receive({ ...suspended, participantId: 'bluewallet', version: 1 })).toEqual({
    version: 1,
  })
  expect(reported).toEqual([7, 9, 1])
})

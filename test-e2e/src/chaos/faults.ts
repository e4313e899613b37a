/** The faults that are injected into a running hub, one at a time, and undone again. */
import { createWriteStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { StartedTestContainer } from 'testcontainers'
import type { ApartHub } from '../hub/apart.ts'
import type { Infrastructure } from '../hub/containers.ts'
import type { Fsp } from '../fsp/fsp.ts'
import { processNames, type ProcessName } from '../hub/services.ts'
import type { Random } from './random.ts'
import type { Links } from './links.ts'

export interface FaultContext {
  readonly hub: ApartHub
  readonly infrastructure: Infrastructure
  readonly links: Links
  /**
   * Where the disk of Kafka's log is mounted; undefined: Kafka has no disk of its own that may be
   * filled.
   */
  readonly kafkaDisk: string | undefined
  /** An FSP that does not answer for a while. */
  readonly silentFsp: Fsp
  /** Begins transfers to that FSP. */
  readonly paySilentFsp: (count: number) => Promise<void>
  readonly random: Random
}

/** Resolves with a description of the fault when it is undone. */
export interface Fault {
  readonly kind: string
  readonly inject: (context: FaultContext) => Promise<string>
}

const downtime_ms = [0, 5_000] as const
const freeze_ms = [2_000, 15_000] as const
const silence_ms = 20_000
const transfersToSilentFsp = 20
const times_each = 2

/**
 * Each fault once or more, in a random order and each for a random time: every process is killed
 * and frozen.
 */
export function roundOfFaults(random: Random): readonly Fault[] {
  const others = [postgres, kafka, redis, partition, fullDisk, silent]
  return random.shuffled([
    ...processNames.flatMap((name) => [killed(name), frozen(name)]),
    ...others.flatMap((fault) => Array.from({ length: times_each }, () => fault)),
  ])
}

const killed = (name: ProcessName): Fault => ({
  kind: 'kill',
  async inject({ hub, random }) {
    await hub.kill(name)
    await wait(random.between(...downtime_ms))
    await hub.start(name)
    return `${name} killed`
  },
})

const frozen = (name: ProcessName): Fault => ({
  kind: 'freeze',
  async inject({ hub, random }) {
    const time_ms = random.between(...freeze_ms)
    hub.freeze(name)
    await wait(time_ms)
    hub.thaw(name)
    return `${name} was frozen for ${time_ms} ms`
  },
})

const postgres = restarted('PostgreSQL', ({ infrastructure }) => infrastructure.postgres)
const kafka = restarted('Kafka', ({ infrastructure }) => infrastructure.kafka)
const redis = restarted('Redis', ({ infrastructure }) => infrastructure.redis)

function restarted(kind: string, of: (context: FaultContext) => StartedTestContainer): Fault {
  return {
    kind,
    async inject(context) {
      await of(context).restart()
      return `${kind} restarted`
    },
  }
}

const partition: Fault = {
  kind: 'partition',
  async inject({ links, random }) {
    const name = random.of(links.names)
    const time_ms = random.between(...freeze_ms)
    links.cut(name)
    await wait(time_ms)
    links.restore(name)
    return `${name} was cut for ${time_ms} ms`
  },
}

/** A broker without space for its log ends itself, so it is started again when there is space. */
const fullDisk: Fault = {
  kind: 'full disk',
  async inject({ infrastructure, kafkaDisk }) {
    if (kafkaDisk === undefined)
      return "the disk of Kafka's log was not filled: it is that of the machine"
    const filler = join(kafkaDisk, 'filler')
    const noRoom = await pipeline(Readable.from(zeros()), createWriteStream(filler)).then(
      () => undefined,
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    )
    if (noRoom !== 'ENOSPC') throw new Error(`the disk is not full: ${noRoom ?? 'no error'}`)
    await wait(freeze_ms[0])
    rmSync(filler)
    await infrastructure.kafka.restart()
    return "the disk of Kafka's log was full"
  },
}

function* zeros(): Generator<Buffer> {
  for (const block = Buffer.alloc(2 ** 20); ;) yield block
}

const silent: Fault = {
  kind: 'silent FSP',
  async inject({ silentFsp, paySilentFsp }) {
    let answerAgain = (): void => undefined
    const answering = new Promise<void>((resolve) => (answerAgain = resolve))
    silentFsp.answerWith(() => answering.then(() => 503))
    await paySilentFsp(transfersToSilentFsp)
    await wait(silence_ms)
    answerAgain()
    silentFsp.answerWith(({ method }) => (method === 'POST' ? 202 : 200))
    return `an FSP did not answer for ${silence_ms} ms`
  },
}

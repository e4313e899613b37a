/** The faults that are injected into a running hub, one at a time, and undone again. */
import { createWriteStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { StartedTestContainer } from 'testcontainers'
import type { ApartHub } from '../hub/apart.ts'
import type { Around } from '../hub/containers.ts'
import type { Fsp } from '../hub/fsp.ts'
import { processNames, type ProcessName } from '../hub/services.ts'
import type { Random } from './random.ts'
import type { Wires } from './wires.ts'

export interface Scene {
  readonly hub: ApartHub
  readonly around: Around
  readonly wires: Wires
  /**
   * Where the disk of Kafka's log is mounted; undefined: Kafka has no disk of its own that may be
   * filled.
   */
  readonly kafkaDisk: string | undefined
  /** An FSP that does not answer for a while. */
  readonly darkFsp: Fsp
  /** Begins transfers to that FSP. */
  readonly payDarkFsp: (count: number) => Promise<void>
  readonly random: Random
}

/** Resolves with a description of the fault when it is undone. */
export interface Injury {
  readonly kind: string
  readonly inflict: (scene: Scene) => Promise<string>
}

const downtime_ms = [0, 5_000] as const
const standstill_ms = [2_000, 15_000] as const
const darkness_ms = 20_000
const transfersIntoTheDark = 20
const times_each = 2

/**
 * Each fault once or more, in a random order and each for a random time: every process is killed
 * and frozen.
 */
export function roundOfInjuries(random: Random): readonly Injury[] {
  const others = [postgres, kafka, redis, partition, fullDisk, dark]
  return random.shuffled([
    ...processNames.flatMap((name) => [killed(name), frozen(name)]),
    ...others.flatMap((injury) => Array.from({ length: times_each }, () => injury)),
  ])
}

const killed = (name: ProcessName): Injury => ({
  kind: 'kill',
  async inflict({ hub, random }) {
    await hub.kill(name)
    await wait(random.between(...downtime_ms))
    await hub.start(name)
    return `${name} killed`
  },
})

const frozen = (name: ProcessName): Injury => ({
  kind: 'freeze',
  async inflict({ hub, random }) {
    const time_ms = random.between(...standstill_ms)
    hub.freeze(name)
    await wait(time_ms)
    hub.thaw(name)
    return `${name} was frozen for ${time_ms} ms`
  },
})

const postgres = restarted('PostgreSQL', ({ around }) => around.postgres)
const kafka = restarted('Kafka', ({ around }) => around.kafka)
const redis = restarted('Redis', ({ around }) => around.redis)

function restarted(kind: string, of: (scene: Scene) => StartedTestContainer): Injury {
  return {
    kind,
    async inflict(scene) {
      await of(scene).restart()
      return `${kind} restarted`
    },
  }
}

const partition: Injury = {
  kind: 'partition',
  async inflict({ wires, random }) {
    const name = random.of(wires.names)
    const time_ms = random.between(...standstill_ms)
    wires.cut(name)
    await wait(time_ms)
    wires.mend(name)
    return `${name} was cut for ${time_ms} ms`
  },
}

/** A broker without space for its log ends itself, so it is started again when there is space. */
const fullDisk: Injury = {
  kind: 'full disk',
  async inflict({ around, kafkaDisk }) {
    if (kafkaDisk === undefined)
      return "the disk of Kafka's log was not filled: it is that of the machine"
    const filler = join(kafkaDisk, 'filler')
    const noRoom = await pipeline(Readable.from(zeros()), createWriteStream(filler)).then(
      () => undefined,
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    )
    if (noRoom !== 'ENOSPC') throw new Error(`the disk is not full: ${noRoom ?? 'no error'}`)
    await wait(standstill_ms[0])
    rmSync(filler)
    await around.kafka.restart()
    return "the disk of Kafka's log was full"
  },
}

function* zeros(): Generator<Buffer> {
  for (const block = Buffer.alloc(2 ** 20); ;) yield block
}

const dark: Injury = {
  kind: 'dark FSP',
  async inflict({ darkFsp, payDarkFsp }) {
    let light = (): void => undefined
    const lit = new Promise<void>((resolve) => (light = resolve))
    darkFsp.answerWith(() => lit.then(() => 503))
    await payDarkFsp(transfersIntoTheDark)
    await wait(darkness_ms)
    light()
    darkFsp.answerWith(({ method }) => (method === 'POST' ? 202 : 200))
    return `an FSP did not answer for ${darkness_ms} ms`
  },
}

/** What is done to a running hub, one thing at a time, and undone again. */
import type { StartedTestContainer } from 'testcontainers'
import { setTimeout as wait } from 'node:timers/promises'
import type { ApartHub } from '../hub/apart.ts'
import { processNames } from '../hub/services.ts'
import { brokerData, type Around } from '../hub/containers.ts'
import type { Fsp } from '../hub/fsp.ts'
import type { Random } from './random.ts'
import type { Wires } from './wires.ts'

export interface Scene {
  readonly hub: ApartHub
  readonly around: Around
  readonly wires: Wires
  /** Whether the disk of Kafka's log is one of its own, which may be filled. */
  readonly hasSmallDisk: boolean
  /** An FSP that answers nobody for a while. */
  readonly darkFsp: Fsp
  /** Begins transfers to that FSP. */
  payDarkFsp(count: number): Promise<void>
  readonly random: Random
}

/** Resolves with what was done, when it is undone; what it does to is as random as how long. */
type Injury = (scene: Scene) => Promise<string>

const downtime_ms = [0, 5_000] as const
const standstill_ms = [2_000, 15_000] as const
const darkness_ms = 20_000
const transfersIntoTheDark = 20

export const injuries: Readonly<Record<string, Injury>> = {
  kill: async ({ hub, random }) => {
    const name = random.of(processNames)
    await hub.kill(name)
    await wait(random.between(...downtime_ms))
    await hub.start(name)
    return `${name} killed`
  },
  freeze: async ({ hub, random }) => {
    const name = random.of(processNames)
    const time_ms = random.between(...standstill_ms)
    hub.freeze(name)
    await wait(time_ms)
    hub.thaw(name)
    return `${name} stood still for ${time_ms} ms`
  },
  postgres: async ({ around }) => restarted('PostgreSQL', around.postgres),
  kafka: async ({ around }) => restarted('Kafka', around.kafka),
  redis: async ({ around }) => restarted('Redis', around.redis),
  partition: async ({ wires, random }) => {
    const name = random.of(wires.names)
    const time_ms = random.between(...standstill_ms)
    wires.cut(name)
    await wait(time_ms)
    wires.mend(name)
    return `${name} parted for ${time_ms} ms`
  },
  'full disk': async ({ around, hasSmallDisk }) => {
    if (!hasSmallDisk) return "the disk of Kafka's log is not filled: it is that of the machine"
    const { kafka } = around
    await kafka.exec(['sh', '-c', `cat /dev/zero > ${brokerData}/full`])
    await wait(standstill_ms[0])
    await kafka.exec(['rm', '-f', `${brokerData}/full`])
    await kafka.restart()
    return "the disk of Kafka's log was full"
  },
  'dark FSP': async (scene) => {
    const { darkFsp } = scene
    let light = (): void => undefined
    const lit = new Promise<void>((resolve) => (light = resolve))
    darkFsp.answerWith(() => lit.then(() => 503))
    await scene.payDarkFsp(transfersIntoTheDark)
    await wait(darkness_ms)
    light()
    darkFsp.answerWith(({ method }) => (method === 'POST' ? 202 : 200))
    return `an FSP answered nobody for ${darkness_ms} ms`
  },
}

async function restarted(name: string, container: StartedTestContainer): Promise<string> {
  await container.restart()
  return `${name} restarted`
}

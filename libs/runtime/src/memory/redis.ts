/**
 * The shared memory of several processes in Redis, which may be lost at any time: no call waits for it
 * longer than `timeout_ms`, no request waits for a write, and while it is away each process uses its
 * own counts.
 */
import { randomUUID } from 'node:crypto'
import type { Logger, Metrics } from '@causeway/process'
import { Redis } from 'ioredis'
import { Gauge } from 'prom-client'
import type { OthersUse, SharedMemory, Sharing, Use } from './shared-memory.ts'

export interface RedisOptions {
  /** redis://user:password@host:port/database, or rediss:// */
  readonly url: string
  /** Prefix of every key: several hubs can share a Redis. */
  readonly prefix: string
  /** Longest wait for a response. */
  readonly timeout_ms: number
  readonly log: Logger
  readonly metrics: Metrics
}

export interface RedisMemory extends SharedMemory {
  stop(): void
}

const exchange_ms = 100
/** A process that has sent nothing for this long has nothing in work. */
const silence_ms_max = 2_000
const reconnect_ms_max = 1_000
/** A connection without answers for this long is closed: it would queue all further commands. */
const hung_ms = 1_000
const names_max = 2_000

/** One round trip sends the own counts and returns those of all others; stale ones are removed. */
const exchangeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local total = redis.call('INCRBY', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], 60000)
if ARGV[3] == '0' then
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3] .. ':' .. now)
  redis.call('PEXPIRE', KEYS[2], 60000)
end
local others = 0
local fields = redis.call('HGETALL', KEYS[2])
for at = 1, #fields, 2 do
  if fields[at] ~= ARGV[1] then
    local count, reported_ms = string.match(fields[at + 1], '^(%d+):(%d+)$')
    if count == nil or now - tonumber(reported_ms) > tonumber(ARGV[4]) then
      redis.call('HDEL', KEYS[2], fields[at])
    else
      others = others + tonumber(count)
    end
  end
end
return { total, others }`

interface ScriptRunner {
  causewayExchange(
    total: string,
    atWork: string,
    process: string,
    admitted: number,
    atWorkHere: number,
    silence_ms_max: number,
  ): Promise<readonly [number, number]>
}

/** Does not wait for the connection: until it is open nothing is shared. */
export function openRedisMemory(options: RedisOptions): RedisMemory {
  const { url, prefix, timeout_ms, log, metrics } = options
  const redis = new Redis(url, {
    // Commands that cannot be sent now are dropped.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    commandTimeout: timeout_ms,
    socketTimeout: hung_ms,
    connectTimeout: reconnect_ms_max,
    retryStrategy: (tries) => Math.min(50 * 2 ** tries, reconnect_ms_max),
    keyPrefix: prefix,
    scripts: { causewayExchange: { lua: exchangeScript, numberOfKeys: 2 } },
  })
  logOutages(redis, log)
  const up: Gauge = new Gauge({
    name: 'redis_up',
    help: '1 while Redis is connected; 0: each process uses its own counts',
    registers: [metrics],
    collect: () => up.set(redis.status === 'ready' ? 1 : 0),
  })
  const sharings = new Set<Sharing>()
  return {
    isSole: false,
    shareUse(what, use) {
      const sharing = openSharing(redis, what, use)
      sharings.add(sharing)
      return sharing
    },
    async recall(keys) {
      if (redis.status !== 'ready' || keys.length === 0) return new Map()
      try {
        const found = await redis.mget([...keys])
        const entries = keys.map((key, at) => [key, found[at] ?? undefined] as const)
        return new Map(
          entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
        )
      } catch {
        return new Map()
      }
    },
    remember(entries, age_max_ms) {
      if (redis.status !== 'ready' || entries.size === 0 || age_max_ms < 1) return
      const pipeline = redis.pipeline()
      for (const [key, value] of entries) pipeline.set(key, value, 'PX', Math.floor(age_max_ms))
      pipeline.exec().catch(() => undefined)
    },
    forget(keys) {
      if (redis.status === 'ready' && keys.length > 0) redis.del([...keys]).catch(() => undefined)
    },
    stop() {
      for (const sharing of sharings) sharing.stop()
      redis.disconnect()
    },
  }
}

/** The values that were sent last for a name, to send only the difference next time. */
interface LastSentCounts {
  admitted: number
  total: number | undefined
}

function openSharing(redis: Redis, what: string, use: Use): Sharing {
  const self = randomUUID()
  const sent = new Map<string, LastSentCounts>()
  /** Names with something in work, in other processes or in this one. */
  let watched = new Set<string>()
  let isAlone = true
  let isExchanging = false

  async function exchange(): Promise<void> {
    const admitted = use.admitted()
    const atWork = use.atWork()
    const names = namesToSend(admitted, atWork)
    if (names.length === 0) return
    const runner = redis as unknown as ScriptRunner
    const answers = await Promise.all(
      names.map((name) => {
        const news = (admitted.get(name) ?? 0) - (sent.get(name)?.admitted ?? 0)
        const keys = [`${what}:admitted:{${name}}`, `${what}:at-work:{${name}}`] as const
        return runner.causewayExchange(...keys, self, news, atWork.get(name) ?? 0, silence_ms_max)
      }),
    )
    isAlone = false
    watched = new Set()
    for (const [at, name] of names.entries()) {
      const [total, others] = answers[at] ?? [0, 0]
      use.learn(name, learnt(name, admitted.get(name) ?? 0, total, others))
      if (others > 0 || (atWork.get(name) ?? 0) > 0) watched.add(name)
    }
  }

  function namesToSend(
    admitted: ReadonlyMap<string, number>,
    atWork: ReadonlyMap<string, number>,
  ): readonly string[] {
    const moved = [...admitted].filter(([name, count]) => count !== sent.get(name)?.admitted)
    const names = new Set([...moved.map(([name]) => name), ...atWork.keys(), ...watched])
    for (const name of sent.keys()) {
      if (!admitted.has(name) && !names.has(name)) sent.delete(name)
    }
    return [...names].slice(0, names_max)
  }

  function learnt(name: string, admitted: number, total: number, atWork: number): OthersUse {
    const before = sent.get(name)
    sent.set(name, { admitted, total })
    // At first, and after Redis has lost its data, the earlier counts of the others are unknown.
    if (before?.total === undefined || total < before.total) return { admitted: 0, atWork }
    const own = admitted - before.admitted
    return { admitted: Math.max(total - before.total - own, 0), atWork }
  }

  async function tick(): Promise<void> {
    if (isExchanging) return
    isExchanging = true
    try {
      if (redis.status !== 'ready') throw new Error('away')
      await exchange()
    } catch {
      if (!isAlone) use.alone()
      isAlone = true
      for (const each of sent.values()) each.total = undefined
    } finally {
      isExchanging = false
    }
  }

  const timer = setInterval(() => void tick(), exchange_ms)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** One log line when the connection is lost and one when it is back. */
function logOutages(redis: Redis, log: Logger): void {
  let isUp = true
  redis.on('error', (error: Error) => {
    if (isUp) log.warn({ err: error }, 'Redis is away: each process uses its own counts')
    isUp = false
  })
  redis.on('ready', () => {
    if (!isUp) log.info('Redis is back')
    isUp = true
  })
}

/**
 * A group of consumers at the simulated brokers: who is in it, which partitions each of them has, and what
 * the group has committed. When it changes, its members learn that with their next heartbeat and join
 * again; one that is silent for too long is removed, and may not know that it was.
 */
import type { Owner } from '../virtual/world.ts'
import { chance, now_ms, ownedBy, rest, thawed } from '../virtual/world.ts'
import { nameOf } from './log.ts'

export type Assignment = Readonly<Record<string, number[]>>

export interface Member {
  readonly owner: Owner | undefined
  readonly topics: readonly string[]
  readonly session_ms: number
  /** Whether its connections are open. */
  isOpen(): boolean
  onRebalance(): void
  onJoined(generation: number, assignment: Assignment): void
}

/** Shares the partitions of their topics among the members. */
export type Assign = (members: readonly Member[]) => Promise<ReadonlyMap<Member, Assignment>>

export interface Offset {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

interface Membership {
  seen_ms: number
  /** Whether it takes part in the generation that is being prepared. */
  hasJoined: boolean
  isTold: boolean
}

/** From a member to the group, or back. */
const way_ms_max = 20

export class Group {
  readonly committed = new Map<string, number>()
  readonly #assign: Assign
  readonly #members = new Map<Member, Membership>()
  /** Removed for their silence, and perhaps not aware of it. */
  readonly #removed = new Set<Member>()
  #generation = 0
  #isPreparing = false

  constructor(assign: Assign) {
    this.#assign = assign
  }

  /** Whether nothing is left of it, as of the group of one process that has ended. */
  isForgotten(): boolean {
    return this.#members.size + this.#removed.size + this.committed.size === 0
  }

  join(member: Member): void {
    this.#removed.delete(member)
    this.#members.set(member, { seen_ms: now_ms(), hasJoined: true, isTold: true })
    this.#prepare(member)
    this.#completeIfAll()
  }

  leave(member: Member): void {
    this.#removed.delete(member)
    if (!this.#members.delete(member)) return
    this.#prepare(undefined)
    this.#completeIfAll()
  }

  /** Throws what a broker answers to a member of an older generation. */
  commit(member: Member, generation: number, offsets: readonly Offset[]): void {
    if (!this.#members.has(member)) throw refused('UNKNOWN_MEMBER_ID')
    if (generation !== this.#generation) throw refused('ILLEGAL_GENERATION')
    for (const { topic, partition, offset } of offsets) {
      this.committed.set(nameOf(topic, partition), offset)
    }
  }

  /** The heartbeats of its members, which come about once a second. */
  beat(): void {
    for (const member of this.#removed) {
      if (member.owner?.isDead() === true || !member.isOpen()) this.#removed.delete(member)
      else if (isAwake(member)) this.#tell(member, () => this.join(member))
    }
    for (const [member, membership] of this.#members) {
      if (isAwake(member)) {
        membership.seen_ms = now_ms()
        if (this.#isPreparing && !membership.isTold) this.#call(member, membership)
      } else if (now_ms() - membership.seen_ms > member.session_ms) {
        this.#members.delete(member)
        this.#removed.add(member)
        this.#prepare(undefined)
      }
    }
    this.#completeIfAll()
  }

  /** All but this one have to join again. */
  #prepare(joining: Member | undefined): void {
    if (this.#isPreparing) return
    this.#isPreparing = true
    for (const [member, membership] of this.#members) {
      if (member !== joining) Object.assign(membership, { hasJoined: false, isTold: false })
    }
  }

  #call(member: Member, membership: Membership): void {
    membership.isTold = true
    this.#tell(member, () => {
      ownedBy(member.owner, () => member.onRebalance())
      // What it commits meanwhile is still that of its generation.
      void rest(1 + chance().below(way_ms_max)).then(() => {
        membership.hasJoined = true
        this.#completeIfAll()
      })
    })
  }

  #completeIfAll(): void {
    const members = [...this.#members]
    if (!this.#isPreparing || members.some(([, { hasJoined }]) => !hasJoined)) return
    this.#isPreparing = false
    const generation = ++this.#generation
    void this.#assign(members.map(([member]) => member)).then((shares) => {
      for (const [member, share] of shares) {
        this.#tell(member, () => {
          if (generation !== this.#generation || !this.#members.has(member)) return
          ownedBy(member.owner, () => member.onJoined(generation, share))
        })
      }
    })
  }

  /** A frozen process learns it when it comes back, a dead one never. */
  #tell(member: Member, what: () => void): void {
    void rest(chance().below(way_ms_max)).then(async () => {
      await thawed(member.owner)
      if (member.owner?.isDead() !== true && member.isOpen()) what()
    })
  }
}

function isAwake(member: Member): boolean {
  const { owner } = member
  return member.isOpen() && owner?.isDead() !== true && (owner?.frozenUntil_ms ?? 0) <= now_ms()
}

/** An error of the protocol, as kafkajs makes it. */
export function refused(type: string): Error {
  return Object.assign(new Error(type), { type })
}

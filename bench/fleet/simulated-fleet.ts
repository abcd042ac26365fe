import { createActors } from './actors.ts'

/** How large a fleet is, and how often its machines die. */
export interface Scenario {
  readonly name: string
  readonly executions: number
  readonly machines: number
  /** Mean days between two deaths of one machine. */
  readonly daysToDeath: number
}

export interface Outcome {
  readonly seconds: number
  readonly deaths: number
  readonly takeOvers: number
  /** Codons that ran to their end. */
  readonly codons: number
  readonly turns: number
  readonly workSeconds: number
  readonly lostSeconds: number
  /** Dollars that were lent to turns which died, and not accounted for with a head. */
  readonly doubt: number
  readonly heads: number
  readonly uploaded: number
  readonly downloaded: number
  readonly claimsInFirstMinute: number
}

export const slotsEach = 8
export const codonsEach = 30
export const codonSeconds = 1_200
export const lease = 120
/** Until the queue has seen that the lease is over, and a worker has looked for work. */
const takeOverSeconds = lease + 4
const backSeconds = 600
const turnSeconds = 6 * 3_600
const longestChain = 16
const wholeBytes = 7e6
const parcelBytes = 1.2e6
/** Half of all codons are shorter than 0.84 of the mean, one of a hundred is longer than 3.4 times. */
const sigma = 0.6
const nobody = 65_535
export const dollarsOfCodon = 0.6
/** What a batch with a large ceiling lends at once. */
const pieceDollars = 5

/** What so many seconds of a codon cost. */
export function worth(seconds: number): number {
  return (seconds / codonSeconds) * dollarsOfCodon
}

/** The same for the same scenario: its chances have a seed. Time in seconds, bytes as numbers. */
export function simulate(scenario: Scenario): Outcome {
  const run = new SimulatedFleet(scenario)
  run.toTheEnd()
  return run
}

/** Everything about an execution is a few bytes in arrays, so that a million of them fit. */
class SimulatedFleet implements Outcome {
  seconds = 0
  deaths = 0
  takeOvers = 0
  codons = 0
  turns = 0
  workSeconds = 0
  lostSeconds = 0
  doubt = 0
  heads = 0
  uploaded = 0
  downloaded = 0
  claimsInFirstMinute = 0
  readonly #scenario: Scenario
  readonly #slots: number
  readonly #actors: ReturnType<typeof createActors>
  readonly #done: Uint8Array
  /** Parcels of its head; 0: the next one is whole. */
  readonly #chain: Uint8Array
  /** Whose disk has it as its head is. */
  readonly #at: Uint16Array
  readonly #handedBack: Int32Array
  #firstBack = 0
  #lastBack = 0
  #next = 0
  #ended = 0
  /** What silent workers had, and when others may have it; in the order of both. */
  #orphans: { readonly execution: number; readonly from: number }[] = []
  /** What each slot works on; −1: nothing. */
  readonly #working: Int32Array
  readonly #since: Float64Array
  readonly #claimed: Float64Array
  readonly #isUp: Uint8Array

  constructor(scenario: Scenario) {
    const { executions, machines } = scenario
    this.#scenario = scenario
    this.#slots = machines * slotsEach
    // One for each slot, one for each machine, and one that wakes when something may be taken over.
    this.#actors = createActors(this.#slots + machines + 1)
    this.#done = new Uint8Array(executions)
    this.#chain = new Uint8Array(executions)
    this.#at = new Uint16Array(executions).fill(nobody)
    // Each comes back a few times; those that were taken out make room.
    this.#handedBack = new Int32Array(executions + 1)
    this.#working = new Int32Array(this.#slots).fill(-1)
    this.#since = new Float64Array(this.#slots)
    this.#claimed = new Float64Array(this.#slots)
    this.#isUp = new Uint8Array(machines).fill(1)
  }

  toTheEnd(): void {
    for (let machine = 0; machine < this.#scenario.machines; machine++) this.#mayDie(machine)
    for (let slot = 0; slot < this.#slots; slot++) this.#look(slot)
    while (this.#ended < this.#scenario.executions) {
      const actor = this.#actors.first()
      this.seconds = this.#actors.timeOf(actor)
      if (actor < this.#slots) this.#codonEnds(actor)
      else if (actor < this.#slots + this.#scenario.machines) this.#deathOrReturn(actor - this.#slots)
      else this.#offer()
    }
  }

  #codonEnds(slot: number): void {
    const execution = this.#working[slot] ?? -1
    this.workSeconds += this.seconds - (this.#since[slot] ?? 0)
    this.codons++
    this.heads++
    this.#upload(execution)
    const done = (this.#done[execution] ?? 0) + 1
    this.#done[execution] = done
    const isOver = done === codonsEach
    if (!isOver && this.seconds - (this.#claimed[slot] ?? 0) < turnSeconds) {
      this.#begin(slot)
      return
    }
    // The last head of a turn holds next to nothing.
    this.heads++
    this.#working[slot] = -1
    if (isOver) this.#ended++
    else {
      this.#handedBack[this.#lastBack] = execution
      this.#lastBack = (this.#lastBack + 1) % this.#handedBack.length
    }
    this.#look(slot)
  }

  #upload(execution: number): void {
    const isWhole = this.#chain[execution] === 0 || this.#chain[execution] === longestChain
    this.#chain[execution] = isWhole ? 1 : (this.#chain[execution] ?? 0) + 1
    this.uploaded += isWhole ? wholeBytes : parcelBytes
  }

  /** What is queued is taken in the order in which it was queued; what a dead worker had was queued before. */
  #look(slot: number): void {
    const execution = this.#taken()
    if (execution < 0) {
      this.#actors.set(slot, Number.POSITIVE_INFINITY)
      return
    }
    this.#working[slot] = execution
    this.#claimed[slot] = this.seconds
    this.turns++
    if (this.seconds < 60) this.claimsInFirstMinute++
    const machine = Math.floor(slot / slotsEach)
    const chain = this.#chain[execution] ?? 0
    if (this.#at[execution] === machine) this.#chain[execution] = 0
    else if (chain > 0) this.downloaded += wholeBytes + (chain - 1) * parcelBytes
    this.#at[execution] = machine
    this.#begin(slot)
  }

  #begin(slot: number): void {
    this.#since[slot] = this.seconds
    this.#actors.set(slot, this.seconds + this.#codonLength())
  }

  #taken(): number {
    const [orphan] = this.#orphans
    if (orphan && orphan.from <= this.seconds) {
      this.#orphans.shift()
      this.takeOvers++
      return orphan.execution
    }
    if (this.#next < this.#scenario.executions) return this.#next++
    if (this.#firstBack === this.#lastBack) return -1
    const execution = this.#handedBack[this.#firstBack] ?? -1
    this.#firstBack = (this.#firstBack + 1) % this.#handedBack.length
    return execution
  }

  #deathOrReturn(machine: number): void {
    if (this.#isUp[machine] === 0) {
      this.#isUp[machine] = 1
      this.#mayDie(machine)
      for (let slot = machine * slotsEach; slot < (machine + 1) * slotsEach; slot++) this.#look(slot)
      return
    }
    this.deaths++
    this.#isUp[machine] = 0
    this.#actors.set(this.#slots + machine, this.seconds + backSeconds)
    for (let slot = machine * slotsEach; slot < (machine + 1) * slotsEach; slot++) this.#lose(slot)
    this.#waitForOrphan()
  }

  #lose(slot: number): void {
    const execution = this.#working[slot] ?? -1
    this.#actors.set(slot, Number.POSITIVE_INFINITY)
    if (execution < 0) return
    this.#working[slot] = -1
    this.lostSeconds += this.seconds - (this.#since[slot] ?? 0)
    const claimed = this.#claimed[slot] ?? 0
    const lent = pieceDollars * (1 + Math.floor(worth(this.seconds - claimed) / pieceDollars))
    this.doubt += lent - worth((this.#since[slot] ?? 0) - claimed)
    this.#orphans.push({ execution, from: this.seconds + takeOverSeconds })
  }

  /** Whoever has nothing to do may have it. */
  #offer(): void {
    for (
      let slot = 0;
      slot < this.#slots && (this.#orphans[0]?.from ?? Number.POSITIVE_INFINITY) <= this.seconds;
      slot++
    )
      if (this.#working[slot] === -1 && this.#isUp[Math.floor(slot / slotsEach)] === 1) this.#look(slot)
    this.#waitForOrphan()
  }

  /** One that is ready waits for the next slot that looks; only one that is not is waited for. */
  #waitForOrphan(): void {
    const next = this.#orphans.find(({ from }) => from > this.seconds)
    this.#actors.set(this.#slots + this.#scenario.machines, next?.from ?? Number.POSITIVE_INFINITY)
  }

  #mayDie(machine: number): void {
    const days = -Math.log(1 - this.#chance()) * this.#scenario.daysToDeath
    this.#actors.set(this.#slots + machine, this.seconds + days * 86_400)
  }

  /** Log-normal, by the method of Box and Muller. */
  #codonLength(): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.#chance())) * Math.cos(2 * Math.PI * this.#chance())
    return codonSeconds * Math.exp(sigma * normal - (sigma * sigma) / 2)
  }

  #state = 27
  /** Mulberry32: from 0 to 1, without 1. */
  #chance(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

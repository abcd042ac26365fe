import { randomFillSync } from 'node:crypto'

/**
 * A new id such as `evt_01k2m9q4c0000f3v8a1bq0e`. Ids with one prefix compare as strings in the order in which this process
 * made them, also across a clock that goes back; those of two processes by time. 50 bits are random. Not a secret.
 */
export function createId(prefix: string): string {
  return `${prefix}_${nextStamp()}${randomPairs(5)}`
}

// Two symbols of an alphabet that sorts like its values (`0-9a-v`), for every value of ten bits.
const pairs: readonly string[] = Array.from({ length: 1024 }, (_, value) =>
  value.toString(32).padStart(2, '0'),
)

const countersPerMillisecond = 1024 * 1024
let lastTime = 0
let lastTimeText = ''
let counter = 0

/** Nine symbols of time and four of a counter. The time never goes back and is moved on when the counter is full. */
function nextStamp(): string {
  const now = Date.now()
  counter++
  if (now > lastTime) startMillisecond(now)
  if (counter === countersPerMillisecond) startMillisecond(lastTime + 1)
  return `${lastTimeText}${pairs[counter >> 10]}${pairs[counter & 1023]}`
}

function startMillisecond(time: number): void {
  lastTime = time
  lastTimeText = time.toString(32).padStart(9, '0')
  counter = 0
}

// One system call per 4096 words: asking for a few bytes at a time costs microseconds each.
const pool = new Uint16Array(4096)
let used = pool.length

function randomPairs(count: number): string {
  let text = ''
  for (let made = 0; made < count; made++) {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    text += pairs[(pool[used++] ?? 0) & 1023]
  }
  return text
}

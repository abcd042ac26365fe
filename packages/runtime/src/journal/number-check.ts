/**
 * Holds the numbers of a journal's lines, as they stand in its files, against the rule: one by one from a first one on. A
 * damaged line is taken to have had the number that was to come.
 */
export interface NumberCheck {
  /** To be told of all damaged lines before an intact one first. */
  damagedAt(offset: number): void
  /** From here on offsets are those of the next file. */
  nextFile(): void
  /** How many numbers are missing right before this line; `doubled`: it is the line of another writer. */
  intact(seq: number, offset: number): number | 'doubled'
  readonly damaged: number
  readonly missing: number
  readonly doubled: number
}

export function createNumberCheck(expected: number): NumberCheck {
  let next = expected
  let [damaged, missing, doubled] = [0, 0, 0]
  let waiting: number[] = []

  return {
    damagedAt(offset) {
      damaged++
      waiting.push(offset)
    },
    nextFile() {
      waiting = waiting.map(() => -1)
    },
    intact(seq, offset) {
      if (seq === next && waiting.length === 0) {
        next++
        return 0
      }
      const before = waiting.filter(place => place < offset).length
      if (seq < next) {
        doubled++
        return 'doubled'
      }
      waiting = waiting.filter(place => place > offset)
      const gap = Math.max(0, seq - next - before)
      missing += gap
      next = seq + 1
      return gap
    },
    get damaged() {
      return damaged
    },
    get missing() {
      return missing
    },
    get doubled() {
      return doubled
    },
  }
}

/**
 * Ids for commands. They must differ between clients too: the events that answer a command go to everyone, with its id
 * in them, and stay in the journal.
 */
export function createIds(random: () => number): () => string {
  const part = (): string =>
    Math.floor(random() * 36 ** 5)
      .toString(36)
      .padStart(5, '0')
  const prefix = `${part()}${part()}${part()}`
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count}`
  }
}

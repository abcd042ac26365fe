let lastMs = Number.NaN
let lastText = ''

/** The time in ISO form. Where it is asked for often, it is asked for many times in the same millisecond. */
export function isoTime(time: Date): string {
  const ms = time.getTime()
  if (ms !== lastMs) {
    lastText = time.toISOString()
    lastMs = ms
  }
  return lastText
}

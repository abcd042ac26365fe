declare const __WEAVE_VERSION__: string | undefined

/** The version of the package; put in by the bundler. From source it says so. */
export const version = typeof __WEAVE_VERSION__ === 'string' ? __WEAVE_VERSION__ : '0.0.0-source'

/** By their three numbers. */
export function isOlder(left: string, right: string): boolean {
  const [ours, theirs] = [numbersOf(left), numbersOf(right)]
  const at = ours.findIndex((number, index) => number !== theirs[index])
  return at >= 0 && (ours[at] ?? 0) < (theirs[at] ?? 0)
}

function numbersOf(text: string): readonly number[] {
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []
  return parts.map(Number)
}

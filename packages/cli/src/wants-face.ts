import { closeSync, openSync } from 'node:fs'

/** Whether a person can be shown the terminal UI: a terminal to write to, one to read from, and the wish for it. */
export function wantsFace(switches: ReadonlySet<string>): boolean {
  if (switches.has('headless') || switches.has('json')) return false
  return process.stdout.isTTY === true && process.env['TERM'] !== 'dumb' && hasKeys()
}

/** The data may have come over stdin; then the keys are read from the terminal itself. */
function hasKeys(): boolean {
  if (process.stdin.isTTY) return true
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

export function wantsColor(switches: ReadonlySet<string>): boolean {
  return !switches.has('no-color') && (process.env['NO_COLOR'] ?? '') === ''
}

import { type Clock, retryAfterOf } from '../../kit/index.ts'

/** The client's log with headers, and of the program's own log as little as there is. */
export const logVariables: Readonly<Record<string, string>> = {
  ANTHROPIC_LOG: 'debug',
  CLAUDE_CODE_DEBUG_LOG_LEVEL: 'error',
}
/** Sends both to stderr. */
export const logArgument = 'debug-to-stderr'

/** A record of the client; one that ends in a brace goes on until a line that closes it. */
const record = /^\[Anthropic SDK [A-Z]+\] \[[^\]]*\] (.*)$/
const answer = /^response\b/
const noAnswer = /^connection\b/
const header = /^ +"?([a-z0-9-]+)"?: "(.*)",?$/i
/** A record of the program; lines that are indented belong to it. */
const programRecord = /^\d{4}-\d\d-\d\dT[\d:.]+Z \[[A-Z]+\]/

const longestLine = 64 * 1024

/**
 * The agent program waits by itself for hints of up to a minute and gives up at longer ones, and never hands on what the
 * provider asked for; but its HTTP client logs the headers of every answer to stderr when told to.
 */
export function createProviderLog(clock: Pick<Clock, 'now' | 'monotonic'>) {
  let unfinished = ''
  /** The record that the next line belongs to. */
  let within: 'answer' | 'other' | 'program' | undefined
  let headers = new Map<string, string>()
  let until: number | undefined

  function answered(): void {
    const asked = retryAfterOf(name => headers.get(name), clock.now())
    until = asked === undefined ? undefined : clock.monotonic() + asked
  }

  /** Whether it is part of the log. */
  function take(line: string): boolean {
    const said = record.exec(line)?.[1]
    if (said !== undefined) {
      within = !said.endsWith('{') ? undefined : answer.test(said) ? 'answer' : 'other'
      headers = new Map()
      if (noAnswer.test(said)) until = undefined
      return true
    }
    if (programRecord.test(line)) {
      within = 'program'
      return true
    }
    if (within === 'program') {
      if (line === '' || /^\s/.test(line)) return true
      within = undefined
    }
    if (within === undefined) return false
    const [, name, value] = header.exec(line) ?? []
    if (name !== undefined && value !== undefined) headers.set(name.toLowerCase(), value)
    if (line !== '}') return true
    if (within === 'answer') answered()
    within = undefined
    return true
  }

  return {
    /** Returns what is no log. */
    read(text: string): string {
      const lines = `${unfinished}${text}`.split('\n')
      unfinished = (lines.pop() ?? '').slice(-longestLine)
      const words = lines.filter(line => !take(line))
      return words.map(line => `${line}\n`).join('')
    },
    /** The line that is not finished yet, unless it may be log. */
    rest: () => (within === undefined && !unfinished.startsWith('[Anthropic SDK ') ? unfinished : ''),
    /** Of the wait that the last answer asked for; undefined when it asked for none. */
    waitLeft: () => (until === undefined ? undefined : Math.max(0, until - clock.monotonic())),
  }
}

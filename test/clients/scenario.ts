import { readFileSync } from 'node:fs'

/**
 * One story that clients of any make live through. It is data, in `scenario.json`, so that programs in other languages
 * read the same; each of them performs the steps in its own way and writes down what it sees.
 *
 * - `open`: connect and shake hands; notes fields of `handshake.response`, then the fact of `server.ready`.
 * - `send`: a command. A text in `data` that begins with `$` stands for a value that was kept.
 * - `await`: the next event of that type, after those that were awaited before, whose fields are as in `where`; notes fields and the
 *   id of the command it answers. `keep` remembers fields.
 * - `history`: asks for the whole journal; notes whether its numbers have no gap, whether all that was heard is in it, and how many
 *   of its events are of the chronicle.
 * - `chronicle`: what was heard of those types so far, in order.
 * - `closed`: waits for the end; notes its code.
 *
 * A field is a dotted path into `data`; `*` stands for every item of a list.
 */
export interface Scenario {
  /** The types of events that a chronicle is made of. */
  readonly chronicle: readonly string[]
  readonly steps: readonly Step[]
}

type Fields = Readonly<Record<string, unknown>>

export type Step = { readonly who: string } & (
  | { readonly do: 'open'; readonly handshake: Fields; readonly note: readonly string[] }
  | { readonly do: 'send'; readonly id: string; readonly type: string; readonly data?: Fields }
  | {
      readonly do: 'await'
      readonly type: string
      readonly where?: Fields
      readonly note: readonly string[]
      readonly keep?: Readonly<Record<string, string>>
    }
  | { readonly do: 'history'; readonly id: string }
  | { readonly do: 'chronicle' | 'closed' }
)

/** Who, what, and what was seen of it. */
export type Observation = readonly [who: string, what: string, ...seen: readonly unknown[]]

export const scenarioFile = new URL('./scenario.json', import.meta.url).pathname

export const scenario = JSON.parse(readFileSync(scenarioFile, 'utf8')) as Scenario

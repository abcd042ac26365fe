/** Events of a journal, as they travel on the wire: one object of the store, a line for each. */
export interface TailPart {
  readonly sha: string
  /** The number of its last event. */
  readonly to: number
}

/** What is known of an event without its type. */
export interface TailEvent {
  readonly id: string
  /** As it travels on the wire. */
  readonly text: string
}

export function packEvents(texts: readonly string[]): Buffer {
  return Buffer.from(`${texts.join('\n')}\n`)
}

/** Lines end with byte 0x0A only. What is no event is left out. */
export function unpackEvents(bytes: Buffer): readonly TailEvent[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap(text => {
      const id = idIn(text)
      return id === undefined ? [] : [{ id, text }]
    })
}

function idIn(text: string): string | undefined {
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown }
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}

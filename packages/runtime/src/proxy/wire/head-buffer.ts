/** Far more than any program sends; enough to stop one that never ends its head. */
const longestHead = 64 * 1024

export type TakenHead =
  | { readonly kind: 'more' }
  | { readonly kind: 'fault'; readonly isTooLong: boolean; readonly fault: string }
  /** `text` is the head without its empty line, one character for each byte; `rest` is what came behind it. */
  | { readonly kind: 'head'; readonly text: string; readonly rest: Buffer }

export interface HeadBuffer {
  push(chunk: Buffer): TakenHead
}

/** Gathers bytes until a head is whole. */
export function createHeadBuffer(): HeadBuffer {
  let held: Buffer | undefined
  return {
    push(chunk) {
      const bytes = held ? Buffer.concat([held, chunk]) : chunk
      const end = bytes.indexOf('\r\n\r\n')
      if (end > longestHead || (end === -1 && bytes.length > longestHead))
        return { kind: 'fault', isTooLong: true, fault: 'a head that is too long' }
      if (end !== -1) {
        held = undefined
        return { kind: 'head', text: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + 4) }
      }
      // A head with bare line feeds would never end; whoever sent it waits for an answer.
      if (/(?<!\r)\n/.test(bytes.toString('latin1'))) return bareLineFeed
      held = bytes
      return more
    },
  }
}

const more: TakenHead = { kind: 'more' }
const bareLineFeed: TakenHead = { kind: 'fault', isTooLong: false, fault: 'a bare line feed in the head' }

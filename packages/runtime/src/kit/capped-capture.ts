/** Keeps the beginning and the end of a stream of bytes, each up to half of the cap; what lies between is counted. */
export interface CappedCapture {
  push(chunk: Buffer): void
  /**
   * What was kept, decoded; with a line between the halves that says how much is missing when something is. No
   * character is cut in two.
   */
  text(): string
  readonly truncated: boolean
}

export function createCappedCapture(maxBytes: number): CappedCapture {
  const headLimit = Math.ceil(maxBytes / 2)
  const tailLimit = maxBytes - headLimit
  const head: Buffer[] = []
  const tail: Buffer[] = []
  let headBytes = 0
  let tailBytes = 0
  let dropped = 0

  function push(chunk: Buffer): void {
    const room = headLimit - headBytes
    if (room > 0) {
      const part = chunk.subarray(0, room)
      head.push(part)
      headBytes += part.length
    }
    if (chunk.length > room) pushTail(chunk.subarray(Math.max(room, 0)))
  }

  function pushTail(chunk: Buffer): void {
    tail.push(chunk)
    tailBytes += chunk.length
    for (let first = tail[0]; first && tailBytes - first.length >= tailLimit; first = tail[0]) {
      tail.shift()
      tailBytes -= first.length
      dropped += first.length
    }
  }

  function text(): string {
    const first = Buffer.concat(head)
    const last = Buffer.concat(tail)
    if (!isTruncated()) return Buffer.concat([first, last]).toString()
    const beginning = withoutCutEnd(first)
    const end = withoutCutStart(last.subarray(Math.max(0, last.length - tailLimit)))
    const missing = dropped + first.length + last.length - beginning.length - end.length
    return `${beginning.toString()}\n[${missing} bytes left out]\n${end.toString()}`
  }

  const isTruncated = () => dropped > 0 || tailBytes > tailLimit

  return {
    push,
    text,
    get truncated() {
      return isTruncated()
    },
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}

/** Leaves out a last character whose bytes are not all there. */
function withoutCutEnd(bytes: Buffer): Buffer {
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--
  const present = bytes.length - lead
  return present < sequenceLength(bytes[lead]) ? bytes.subarray(0, lead) : bytes
}

function sequenceLength(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}

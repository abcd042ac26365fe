import type { Socket } from 'node:net'

/** One piece costs a system call less than half of what several do, as long as copying it costs nothing. */
const mostJoined = 64 * 1024

/** Writes all parts, in one piece unless they are too large to be copied. Texts have one byte per character. */
export function writeParts(socket: Socket, parts: readonly (string | Buffer)[]): void {
  let length = 0
  for (const part of parts) length += part.length
  if (length <= mostJoined) {
    socket.write(joined(parts, length))
    return
  }
  socket.cork()
  for (const part of parts) socket.write(part, 'latin1')
  socket.uncork()
}

function joined(parts: readonly (string | Buffer)[], length: number): Buffer {
  const whole = Buffer.allocUnsafe(length)
  let at = 0
  for (const part of parts) {
    if (typeof part === 'string') whole.write(part, at, 'latin1')
    else whole.set(part, at)
    at += part.length
  }
  return whole
}

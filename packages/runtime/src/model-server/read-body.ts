import type { IncomingMessage } from 'node:http'

const mostBytes = 32 * 1024 * 1024

export type Body =
  | { readonly ok: true; readonly text: string; readonly bytes: number }
  | { readonly ok: false; readonly reason: 'too-large' | 'gone' }

/** The whole body. A longer one is read to its end and thrown away, so that the client is able to hear the refusal. */
export async function readBody(message: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of message) {
      if (!Buffer.isBuffer(chunk)) continue
      bytes += chunk.length
      if (bytes <= mostBytes) chunks.push(chunk)
      else chunks.length = 0
    }
  } catch {
    return { ok: false, reason: 'gone' }
  }
  if (bytes > mostBytes) return { ok: false, reason: 'too-large' }
  return { ok: true, text: Buffer.concat(chunks).toString('utf8'), bytes }
}

import { join } from 'node:path'
import type { Served } from '../support/hank-folder.ts'
import { closeFrame, opcode, type RawWebSocket, rawConnect } from '../support/raw-websocket.ts'

/**
 * A whole run as its client sees it, frame by frame, for the page on the protocol. Ids, times and places are replaced by
 * tidy ones, so that every recording of the same run reads the same.
 */

/** One line of a transcript: what the client sent, what it got, how it ended. */
export type Line = readonly ['>' | '<' | 'x', string]

interface Message {
  readonly type: string
  readonly seq?: number
  readonly data: Readonly<Record<string, unknown>>
}

/** Two codons, of which the second fails once; back to the first; the second again; the end. */
export async function record({ port, dir, ended }: Served): Promise<string> {
  const raw = await rawConnect({ port })
  const lines: Line[] = []
  let read = 0
  const say = (message: object): void => {
    lines.push(['>', JSON.stringify(message)])
    raw.sendJson(message)
  }
  /** Takes frames until one of each type has come; the snapshot that counts is the one after the server is idle. */
  const until = async (...types: readonly string[]): Promise<void> => {
    for (const missing = new Set(types); missing.size > 0; ) {
      const text = await textAt(raw, read++)
      lines.push(['<', text])
      const { type } = JSON.parse(text) as Message
      if (type !== 'state.snapshot' || !missing.has('server.idle')) missing.delete(type)
    }
  }
  say({ type: 'handshake', data: { mode: 'readandwrite', extensions: ['weave'] } })
  await until('server.ready')
  say({ id: 'c1', type: 'codon.next' })
  await until('server.idle', 'state.snapshot')
  say({ id: 'c2', type: 'codon.next' })
  await until('server.idle', 'state.snapshot')
  say({ id: 'c3', type: 'rollback.toCodon', data: { codonId: 'draft', checkpointType: 'end' } })
  await until('server.idle', 'state.snapshot', 'filetree.updated')
  say({ id: 'c4', type: 'codon.next' })
  await until('server.idle', 'state.snapshot')
  say({ id: 'c5', type: 'server.shutdown', data: { reason: 'That is all.' } })
  const { code, reason } = await raw.ended
  lines.push(['x', `${code} ${reason}`])
  raw.write(closeFrame(code))
  await ended
  return tidied(inOneOrder(lines), dir)
}

async function textAt(raw: RawWebSocket, index: number): Promise<string> {
  const isText = ({ opcode: code }: { readonly opcode: number }): boolean => code === opcode.text
  for (;;) {
    const frame = raw.frames.filter(isText)[index]
    if (frame) return frame.payload.toString('utf8')
    await raw.until(isText, raw.frames.length)
  }
}

/**
 * Changes of files are told when the system has told of them, at the latest before the checkpoint of their codon. That is
 * where they are put, each path once; those of a rollback come last. Everything is numbered anew.
 */
function inOneOrder(lines: readonly Line[]): readonly Line[] {
  const ordered: Line[] = []
  let waiting = new Map<string, Line>()
  let seq: number | undefined
  for (const line of lines) {
    const message = line[0] === '<' ? (JSON.parse(line[1]) as Message) : undefined
    if (message?.type === 'file.updated') waiting.set(String(message.data['path']), line)
    else if (message?.type === 'filetree.updated') waiting = moved(waiting, message.type, line)
    else {
      if (line[0] === '>' || message?.data['transitionType'] === 'CheckpointCreated') {
        ordered.push(...waiting.values())
        waiting = new Map()
      }
      ordered.push(line)
    }
  }
  return ordered.map(([from, text]) => {
    const found = from === '<' ? (JSON.parse(text) as Message).seq : undefined
    if (found === undefined) return [from, text]
    seq = seq === undefined ? found : seq + 1
    return [from, text.replace(/"seq":\d+/, `"seq":${seq}`)]
  })
}

/** The tree comes after the files. */
function moved(lines: ReadonlyMap<string, Line>, key: string, line: Line): Map<string, Line> {
  const others = [...lines].filter(([name]) => name !== key)
  return new Map([...others, [key, line]])
}

const home = '/home/user/.weave-executions/hank-20260101-120000-000000'

function tidied(lines: readonly Line[], dir: string): string {
  const ids = new Map<string, string>()
  const counts = new Map<string, number>()
  const named = (found: string, kind: string, spell: (n: number) => string): string => {
    const known = ids.get(found)
    if (known !== undefined) return known
    const n = (counts.get(kind) ?? 0) + 1
    counts.set(kind, n)
    ids.set(found, spell(n))
    return spell(n)
  }
  const tidy = (text: string): string => {
    const whole = text
      .replaceAll(dir, home)
      .replaceAll(join(dir, '../../..'), '/home/user')
      .replace(/\b([a-z]+)_[0-9a-z]{16,}/g, (id, kind: string) => named(id, kind, n => `${kind}_${n}`))
      .replace(/\b[0-9a-f]{40}\b/g, sha => named(sha, 'sha', n => n.toString(16).repeat(40)))
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-01T12:00:00.000Z')
      .replace(/"(duration|durationMs|totalTime)":[\d.]+/g, '"$1":1500')
      .replace('0.0.0-scripted', '0.10.0')
    // A sha is also told by its beginning.
    return whole.replace(/\b[0-9a-f]{8}\b/g, start => {
      const sha = [...ids].find(([id]) => id.startsWith(start))
      return sha ? sha[1].slice(0, 8) : start
    })
  }
  return lines.map(([from, text]) => `${from} ${tidy(text)}\n`).join('')
}

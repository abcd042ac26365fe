import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import type * as z from 'zod'
import { readApi } from '../../packages/client/src/index.ts'
import type { HankFolder } from './hank-folder.ts'
import type { RunningCommand } from './weave-command.ts'

export interface HubRecord {
  readonly pid: number
  readonly port: number
  readonly ownerKey: string
  readonly base: string
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
}

export interface AskOptions {
  readonly method?: string
  /** Name, value: in place of the usual ones, also twice. */
  readonly headers?: readonly (readonly [string, string])[]
  readonly session?: string
  readonly body?: object
}

/** One plain request, with no more headers than it says. */
export function ask(port: number, path: string, options: AskOptions = {}): Promise<HttpAnswer> {
  const { method = 'GET', session, body } = options
  const headers = [
    ...(options.headers ?? [['host', `127.0.0.1:${port}`] as const]),
    ...(session === undefined ? [] : [['authorization', `Bearer ${session}`] as const]),
  ].flat()
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, method, headers, setHost: false }, response => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(parts)
        const { statusCode: status = 0, headers: got } = response
        resolve({ status, headers: got, bytes, text: bytes.toString('utf8') })
      })
    })
    asking.on('error', reject)
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

export function hubRecord(at: HankFolder): HubRecord {
  const path = join(at.env['HOME'] ?? '', '.weave/web.json')
  return JSON.parse(readFileSync(path, 'utf8')) as HubRecord
}

export interface Hub extends HubRecord {
  readonly run: RunningCommand
  readonly session: string
  /** The answer in the shape that the table gives it. */
  readonly read: <Name extends keyof typeof readApi>(
    name: Name,
    path: string,
  ) => Promise<z.infer<(typeof readApi)[Name]['answer']>>
  readonly get: (path: string) => Promise<HttpAnswer>
}

/** The built command as a hub on a port of its own, with a session. */
export async function openHub(at: HankFolder, ...words: readonly string[]): Promise<Hub> {
  const run = at.start('web', '--port', '0', '--no-open', ...words)
  await run.until('It ends with')
  const record = hubRecord(at)
  const session = await sessionOf(record)
  return { run, ...record, session, ...readerOf(record.port, session) }
}

export function readerOf(port: number, session: string): Pick<Hub, 'read' | 'get'> {
  const get = (path: string): Promise<HttpAnswer> => ask(port, path, { session })
  return {
    get,
    async read(name, path) {
      const { status, text } = await get(path)
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
      type Answer = z.infer<(typeof readApi)[typeof name]['answer']>
      return readApi[name].answer.parse(JSON.parse(text)) as Answer
    },
  }
}

/** Buys a session with a new link. */
export async function sessionOf({ port, ownerKey }: HubRecord, wish: object = {}): Promise<string> {
  const link = await ask(port, '/api/links', { method: 'POST', session: ownerKey, body: wish })
  const { url } = JSON.parse(link.text) as { readonly url: string }
  return trade(port, url.split('#key=')[1] ?? '')
}

export async function trade(port: number, key: string): Promise<string> {
  const { status, text } = await ask(port, '/api/session', { method: 'POST', body: { key } })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return (JSON.parse(text) as { readonly session: string }).session
}

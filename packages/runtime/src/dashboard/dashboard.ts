import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Hello, linkRequest, type ReadErrorCode, sessionRequest } from '@weave/protocol'
import { type Clock, createPeerMarkCheck } from '../kit/index.ts'
import { answerBytes, answerError, answerJson, bearerOf, begin, readBody } from './answers.ts'
import type { Desk } from './desk.ts'
import { answerFleet, noFleet, type ShownFleet } from './fleet.ts'
import type { Executions, Job, NamedPlace, PlaceJob, Query } from './job.ts'
import type { Readers } from './readers.ts'
import { type Assets, shellAnswer } from './shell.ts'

/** Which executions a host shows. */
export interface ShownExecutions {
  readonly all: Executions
  /** By its name; undefined: there is none, or it is not shown here. Must not throw. */
  find(name: string): NamedPlace | undefined
}

export interface DashboardOptions {
  readonly executions: ShownExecutions
  readonly assets: Assets
  readonly desk: Desk
  readonly readers: Readers
  /** Absent: none is shown here. */
  readonly fleet?: ShownFleet
  readonly facts: Pick<Hello, 'version' | 'hub' | 'readonly'>
  readonly clock: Clock
}

export interface Dashboard {
  /** For the `http` option of a server: answers every plain request. */
  http(request: IncomingMessage, response: ServerResponse): boolean
  /** Whether a request is for the page alone, which has no data: a link from elsewhere may lead there. */
  isPage(request: IncomingMessage): boolean
  /** Where a person gets in; good once. */
  link(port: number, options: { readonly name?: string | undefined; readonly printed: boolean }): Link
}

interface Link {
  readonly url: string
  readonly expiresAt: string
}

/** The page, and everything that can be read of executions, over plain HTTP. Whoever connects was let in by the doorkeeper. */
export function createDashboard(options: DashboardOptions): Dashboard {
  const link: Dashboard['link'] = (port, { name, printed }) => {
    const { key, expiresAt } = options.desk.makeKey(printed ? 'printed' : 'opened')
    const path = name === undefined ? '/' : `/e/${encodeURIComponent(name)}`
    return { url: `http://127.0.0.1:${port}${path}#key=${key}`, expiresAt }
  }
  const isPage: Dashboard['isPage'] = request =>
    request.method === 'GET' && !pathOf(request).startsWith('/api')
  return {
    link,
    isPage,
    http(request, response) {
      const path = pathOf(request)
      const given: Given = { ...options, request, response, path, link }
      if (path === '/api' || path.startsWith('/api/')) void answerApi(given).catch(() => response.destroy())
      else answerShell(given)
      return true
    },
  }
}

interface Given extends DashboardOptions {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Without what follows the `?`. */
  readonly path: string
  readonly link: Dashboard['link']
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/'
}

function answerShell({ assets, path, request, response, readers }: Given): void {
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  const answer = shellAnswer(assets, path, request)
  // The page asks as soon as it has begun; on one of the connections that fetch its parts, so their other end is looked up meanwhile.
  if (answer?.headers['content-type']?.startsWith('text/html')) readers.wake()
  else if (answer) void isOfAgent(request).catch(() => undefined)
  if (!isReading) answerError(response, ...onlyGet)
  else if (answer) answerBytes(response, answer.bytes, answer.headers)
  else answerError(response, 'NOT_FOUND', 'There is nothing at this address.')
}

const onlyGet = ['METHOD_NOT_ALLOWED', 'Nothing is changed here: only GET is answered.'] as const

async function answerApi(given: Given): Promise<void> {
  const { path, request, response, facts, desk, fleet = noFleet } = given
  if (path === '/api/session') return openSession(given)
  if (path === '/api/links') return makeLink(given)
  if (request.method !== 'GET') return answerError(response, ...onlyGet)
  if (path === '/api/hello')
    return answerJson(response, { product: 'weave', ...facts, fleet: fleet.isThere() })
  if (desk.modeOf(bearerOf(request)) === undefined)
    return answerError(response, 'NO_SESSION', 'Open the page with a link: weave open')
  const query = queryOf(request)
  if (!query) return answerError(response, 'BAD_REQUEST', 'The address cannot be read.')
  if (path === '/api/executions') return answerList(given, query)
  if (path === '/api/fleet' || path.startsWith('/api/fleet/'))
    return answerFleet(fleet, { path, query, response })
  const job = jobOf(given, query)
  if (typeof job === 'string') return answerError(response, 'NOT_FOUND', job)
  return pipe(given, job)
}

const keyWords: Partial<Record<ReadErrorCode, string>> = {
  KEY_USED:
    'This link was used before. If that was not you, end the hub; otherwise make another one: weave open',
  KEY_UNKNOWN: 'This link is not known here, or too old. Make another one: weave open',
  TOO_MANY_KEYS: 'Too many wrong keys. Try again in a minute.',
}

const noAgents = [
  'FORBIDDEN',
  'An agent of a run may not get in here: it could answer for a person.',
] as const

/** Whether an agent of any execution asks, or what it started. It is the same user, and may have read the key of the owner. */
export function isOfAgent({ socket }: IncomingMessage): Promise<boolean> {
  const checking = checked.get(socket) ?? isMarked(socket)
  checked.set(socket, checking)
  return checking
}

const isMarked = createPeerMarkCheck('WEAVE_EXECUTION_ID=')
/** A connection stays with the program that opened it. */
const checked = new WeakMap<Socket, Promise<boolean>>()

async function openSession({ request, response, desk }: Given): Promise<void> {
  if (request.method !== 'POST') return answerError(response, 'METHOD_NOT_ALLOWED', 'Only POST is answered.')
  const body = sessionRequest.safeParse(await readBody(request))
  if (!body.success) return answerError(response, 'BAD_REQUEST', 'Expected {"key": "…"}.')
  if (await isOfAgent(request)) return answerError(response, ...noAgents)
  const traded = desk.trade(body.data.key)
  if (traded.ok) return answerJson(response, traded.made)
  return answerError(response, traded.code, keyWords[traded.code] ?? '')
}

async function makeLink({ request, response, desk, link, executions }: Given): Promise<void> {
  if (request.method !== 'POST') return answerError(response, 'METHOD_NOT_ALLOWED', 'Only POST is answered.')
  // Asked before the body is read: a stranger costs nothing.
  if (!desk.isOwner(bearerOf(request)))
    return answerError(response, 'FORBIDDEN', 'Only who started this may make links.')
  if (await isOfAgent(request)) return answerError(response, ...noAgents)
  const body = linkRequest.safeParse(await readBody(request))
  if (!body.success) return answerError(response, 'BAD_REQUEST', 'Expected {"execution"?, "printed"?}.')
  const { execution: name, printed = false } = body.data
  if (name !== undefined && !executions.find(name))
    return answerError(response, 'NOT_FOUND', `There is no execution ${name} here.`)
  return answerJson(response, link(request.socket.localPort ?? 0, { name, printed }))
}

/** Of two values for one name the last counts. Undefined: it is encoded wrongly. */
function queryOf({ url = '' }: IncomingMessage): Query | undefined {
  try {
    return Object.fromEntries(new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length)))
  } catch {
    return undefined
  }
}

const places = {
  '': 'head',
  events: 'events',
  find: 'find',
  spans: 'spans',
  series: 'series',
  checkpoints: 'checkpoints',
  diff: 'diff',
  file: 'file',
  preview: 'preview',
  costs: 'costs',
  report: 'report',
  sentinels: 'sentinels',
} as const satisfies Readonly<Record<string, PlaceJob>>

/** What is to be read; a message when there is nothing like it. */
function jobOf({ path, executions }: Given, query: Query): Job | string {
  if (path === '/api/compare') {
    const [left, right] = [executions.find(query['a'] ?? ''), executions.find(query['b'] ?? '')]
    if (!left || !right) return 'Name two executions that are shown here: ?a=…&b=…'
    return { kind: 'compare', left, right, query }
  }
  const [, encoded = '', rest = ''] = /^\/api\/e\/([^/]+)(?:\/(\w*))?$/.exec(path) ?? []
  const name = decoded(encoded)
  const place = name === undefined ? undefined : executions.find(name)
  if (encoded !== '' && !place) return `There is no execution ${name ?? encoded} here.`
  if (!place || !Object.hasOwn(places, rest)) return 'There is nothing at this address.'
  return { kind: places[rest as keyof typeof places], place, query }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const longestWait = 30
const lookEvery = 1_000

/** The list; with `since` when it is another one, or when patience ends. */
async function answerList(given: Given, query: Query): Promise<void> {
  const { response, executions, clock } = given
  const asked = Number(query['wait'] ?? 0)
  if (!(asked >= 0 && asked <= longestWait))
    return answerError(response, 'BAD_REQUEST', `wait is 0 to ${longestWait} seconds.`)
  const { signal, settled } = untilClosed(response)
  const deadline = clock.monotonic() + asked * 1000
  for (;;) {
    const list = await listText({ ...given, signal }, { kind: 'executions', of: executions.all })
    if (signal.aborted) return
    if (!list.ok) return answerError(response, list.code, list.message)
    const isNews = list.etag !== query['since']
    if (isNews || clock.monotonic() >= deadline) {
      settled()
      return answerBytes(response, list.bytes, list.headers)
    }
    await clock.sleep(lookEvery, signal).catch(() => undefined)
  }
}

async function listText({ readers, signal }: Given & { readonly signal: AbortSignal }, job: Job) {
  const parts: Uint8Array[] = []
  let headers: Readonly<Record<string, string>> = {}
  const outcome = await readers.ask(job, {
    signal,
    onHead: given => {
      headers = given
    },
    onBytes: bytes => void parts.push(bytes),
  })
  if (!outcome.ok) return outcome
  return { ok: true as const, bytes: Buffer.concat(parts), headers, etag: headers['etag'] }
}

/** Passes on what the reading thread says, as it comes. */
async function pipe({ readers, response }: Given, job: Job): Promise<void> {
  const { signal, settled } = untilClosed(response)
  const outcome = await readers.ask(job, {
    signal,
    onHead: headers => {
      begin(response, 200, headers)
      // Whoever searches hears at once that it has begun, also when nothing is found for long.
      response.flushHeaders()
    },
    onBytes: bytes => void response.write(bytes),
  })
  settled()
  if (outcome.ok) response.end()
  else if (response.headersSent) response.destroy()
  else if (!response.destroyed) answerError(response, outcome.code, outcome.message)
}

/** Aborts when whoever asked is gone before the answer was. */
function untilClosed(response: ServerResponse) {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  response.once('close', abort)
  return { signal: controller.signal, settled: () => void response.off('close', abort) }
}

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server'
import { type ExecutionLayout, executionLayout } from '@weave/runtime'
import { addressOfExecution, executionsAddress } from './resource-addresses.ts'
import type { Surroundings } from './tool.ts'

/** How often what somebody listens to is looked at: so there is at most one update a second. */
const everyMs = 1_000

export type Subscriptions = ReturnType<typeof createSubscriptions>

/**
 * Which executions a client listens to, and whether they have changed. Clients of the older era subscribe by requests that
 * a server answers; those of the newer one by a request that the library answers, and that is only heard here.
 */
export function createSubscriptions({ executionBaseDir }: Pick<Surroundings, 'executionBaseDir'>) {
  /** By whoever listens: a request, or the older era's own list. */
  const listening = new Map<string, readonly string[]>()
  const seen = new Map<string, string>()
  let tellOf: ((uri: string) => Promise<void>) | undefined
  let timer: NodeJS.Timeout | undefined

  const look = (): void => {
    const uris = new Set([...listening.values()].flat())
    for (const uri of seen.keys()) if (!uris.has(uri)) seen.delete(uri)
    for (const uri of uris) {
      const now = marksOf(uri, executionBaseDir)
      const before = seen.get(uri)
      seen.set(uri, now)
      if (before !== undefined && before !== now) void tellOf?.(uri).catch(() => undefined)
    }
  }
  const listen = (who: string, uris: readonly string[]): void => {
    if (uris.length === 0) listening.delete(who)
    else listening.set(who, uris)
    look()
    if (listening.size === 0) clearInterval(timer)
    else if (!timer?.hasRef()) timer = setInterval(look, everyMs)
    if (listening.size === 0) timer = undefined
  }
  const hear = (message: JSONRPCMessage, from = ''): void => {
    if (!message || !('method' in message)) return
    const { method, params = {} } = message
    if (method === 'subscriptions/listen' && 'id' in message)
      listen(from || `request ${String(message.id)}`, wantedIn(params))
    if (method === 'notifications/cancelled' && from === '')
      listen(`request ${String(params['requestId'])}`, [])
  }
  return {
    /** `from`: who says it, where there are several; absent: the one client there is. */
    hear,
    leave: (from: string): void => void (listening.has(from) && listen(from, [])),
    tell(tell: (uri: string) => Promise<void>): void {
      tellOf = tell
    },
    register(server: McpServer): void {
      const own = new Set<string>()
      server.server.setRequestHandler('resources/subscribe', ({ params }) => {
        if (own.size < mostOwn) own.add(params.uri)
        listen('older era', [...own])
        return {}
      })
      server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
        own.delete(params.uri)
        listen('older era', [...own])
        return {}
      })
    },
    close: (): void => clearInterval(timer),
  }
}

const mostOwn = 100

function wantedIn(params: Readonly<Record<string, unknown>>): readonly string[] {
  const filter = params['notifications']
  if (typeof filter !== 'object' || filter === null || !('resourceSubscriptions' in filter)) return []
  const uris: unknown = filter.resourceSubscriptions
  return Array.isArray(uris) ? uris.filter(uri => typeof uri === 'string').slice(0, mostOwn) : []
}

/** What changes when something happens there: the lock, and the newest file of the journal. */
function marksOf(uri: string, executionBaseDir: string): string {
  if (uri === executionsAddress) return namesIn(executionBaseDir).join('\n')
  const name = namesIn(executionBaseDir).find(each => uri === addressOfExecution(each))
  return name === undefined ? '' : markOf(executionLayout(join(executionBaseDir, name)))
}

function markOf({ journal, lockFile }: ExecutionLayout): string {
  const newest = namesIn(journal)
    .filter(name => name.endsWith('.jsonl'))
    .at(-1)
  return [lockFile, ...(newest === undefined ? [] : [join(journal, newest)])].map(fileMark).join(' ')
}

function fileMark(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path)
    return `${ino}:${size}:${mtimeMs}`
  } catch {
    return '-'
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort()
  } catch {
    return []
  }
}

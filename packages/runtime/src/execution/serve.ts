import type { EventData } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import { createPeerMarkCheck, type Log, type Redactor, type Scope, systemClock } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { Control } from '../runner/index.ts'
import { type ServerOptions, startServer } from '../server/index.ts'
import type { ExecutionLock } from '../workspace/index.ts'
import type { ActivityListener } from './activity.ts'
import { ownName } from './gate-effects.ts'
import type { ExecutionProxy } from './proxy.ts'
import { hiddenEvents } from './sentinel-effects.ts'

/** The server listens before the runner begins, so that a port that is taken stops everything in time. */
export function createLateControl(): { readonly control: Control; is(runner: Control): void } {
  let arrive: (runner: Control) => void = () => undefined
  const coming = new Promise<Control>(resolve => {
    arrive = resolve
  })
  const control: Control = {
    submit: async (command, by) => (await coming).submit(command, by),
    clientArrived: () => void coming.then(runner => runner.clientArrived()),
    snapshot: async () => (await coming).snapshot(),
    checkpoints: async runId => (await coming).checkpoints(runId),
  }
  return { control, is: (runner: Control) => arrive(runner) }
}

export type ServerSettings = Pick<
  ServerOptions,
  | 'port'
  | 'host'
  | 'token'
  | 'readonlyOnly'
  | 'idleTimeoutSeconds'
  | 'allowOtherUsers'
  | 'http'
  | 'isPage'
  | 'modeOf'
>

export interface ServeOptions {
  readonly settings: ServerSettings
  /** What a client learns of the execution when it connects. */
  readonly facts: Omit<EventData<'server.ready'>, 'proxyPort'>
  readonly plan: Plan
  /** A hold of an earlier start is still to come. */
  readonly isHeld: boolean
  readonly journal: Journal
  readonly redactor: Redactor
  readonly log: Log
  readonly control: Control
  readonly proxy: ExecutionProxy | undefined
  readonly lock: ExecutionLock
}

/** While there are gates, or a hold was asked for, also in an earlier start: whether the other end is an agent of this execution. */
function agentCheck(
  dir: string,
  { plan: { gates = [] }, journal, isHeld }: Pick<ServeOptions, 'plan' | 'journal' | 'isHeld'>,
): ServerOptions['isOfAgent'] {
  let isGated = gates.length > 0 || isHeld
  journal.subscribe(({ event }) => {
    if (event.type === 'gate.armed') isGated = true
  })
  const isOfAgent = createPeerMarkCheck(`WEAVE_EXECUTION_ID=${dir}`)
  return async socket => isGated && isOfAgent(socket)
}

/** Listens, then lets the proxy listen, and writes both ports into the lock. A client that connects in between waits. */
export async function serve(options: ServeOptions, scope: Scope) {
  const { settings, facts, plan, journal, redactor, log, control, proxy, lock } = options
  let announce: (ports: { readonly proxyPort?: number }) => void = () => undefined
  const allPorts = new Promise<{ readonly proxyPort?: number }>(resolve => {
    announce = resolve
  })
  const started = await startServer({
    ...settings,
    journal,
    redactor,
    control,
    hides: hiddenEvents(plan),
    user: ownName(),
    isOfAgent: agentCheck(facts.executionPath, options),
    clock: systemClock,
    log,
    ready: async () => ({ ...facts, ...(await allPorts) }),
  })
  if (!started.ok) return started
  const { server } = started
  scope.add('server', () => server.close('The server is going down.'))
  log.info('SERVER', `listening at ${server.url}`)
  if (proxy) scope.add('proxy', () => proxy.close())
  const proxied = await proxy?.start(server.port)
  if (proxied?.ok === false) return proxied
  const ports = proxied ? { proxyPort: proxied.port } : {}
  announce(ports)
  const { token, http } = settings
  lock.update({
    port: server.port,
    ...ports,
    ...(token !== undefined && { token }),
    ...(http && { web: true }),
  })
  const proxyUrl = proxy?.url()
  const onActivity: ActivityListener = activity => server.announce('run.activity', activity)
  return {
    ok: true as const,
    onActivity,
    urls: { url: server.url, ...(proxyUrl !== undefined && { proxyUrl }) },
  }
}

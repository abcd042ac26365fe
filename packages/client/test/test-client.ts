import type { ServerEvent } from '@weave/protocol'
import { connect } from '../src/client.ts'
import type { ClientStatus } from '../src/reconnecting-connection.ts'
import type { ClientOptions, WeaveClient } from '../src/weave-client.ts'
import { type ManualTimers, manualTimers, settled } from './manual-timers.ts'
import type { ScriptedServer } from './scripted-server.ts'

export interface TestClient {
  readonly client: WeaveClient
  readonly timers: ManualTimers
  readonly events: ServerEvent[]
  readonly statuses: ClientStatus[]
  readonly problems: string[]
  readonly listenerErrors: unknown[]
  /** The numbers of the journaled events that were delivered. */
  readonly seqs: () => readonly number[]
  readonly types: () => readonly string[]
}

/** A client of a scripted server that writes down all it is told; time is in the test's hands. */
export function testClient(server: ScriptedServer, options: Partial<ClientOptions> = {}): TestClient {
  const timers = manualTimers()
  const problems: string[] = []
  const listenerErrors: unknown[] = []
  const client = connect(
    { transport: server.connect },
    {
      mode: 'readandwrite',
      timers,
      onMalformed: problem => problems.push(problem),
      onListenerError: error => listenerErrors.push(error),
      ...options,
    },
  )
  const events: ServerEvent[] = []
  const statuses: ClientStatus[] = [client.status]
  client.onAny(event => events.push(event))
  client.onStatus(status => statuses.push(status))
  return {
    client,
    timers,
    events,
    statuses,
    problems,
    listenerErrors,
    seqs: () => events.flatMap(event => event.seq ?? []),
    types: () => events.map(event => event.type),
  }
}

/** The same, after its first handshake. */
export async function openClient(
  server: ScriptedServer,
  options: Partial<ClientOptions> = {},
): Promise<TestClient> {
  const opened = testClient(server, options)
  await opened.client.opened
  await settled()
  return opened
}

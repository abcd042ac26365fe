import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/kit/index.ts'
import {
  type Answer,
  createRehearsal,
  type ModelRequest,
  type ModelServerOptions,
  type Rehearsal,
  type RehearsalScript,
} from '../../src/model-server/index.ts'
import { type RecordedModelServer, startRecordedServer } from './recorded-server.ts'

/** A server that is closed when the test ends. */
export async function served(
  respond: ModelServerOptions['respond'],
  options: Partial<ModelServerOptions> = {},
): Promise<RecordedModelServer> {
  const server = await startRecordedServer({ clock: systemClock, ...options, respond })
  onTestFinished(() => server.close())
  return server
}

/** A server that plays a script. */
export async function rehearsed(
  script: RehearsalScript,
): Promise<{ readonly server: RecordedModelServer; readonly rehearsal: Rehearsal }> {
  const rehearsal = createRehearsal({ script, strict: true })
  return { rehearsal, server: await served(rehearsal.respond, { cwdOf: rehearsal.cwdOf }) }
}

export function text(words: string): Answer {
  return { kind: 'message', parts: [{ kind: 'text', text: words }] }
}

/** A request for the model as a rehearsal sees it. By default one of a harness that offers its tools. */
export function request(changes: Partial<ModelRequest> = {}): ModelRequest {
  const declarations = ['read', 'write', 'edit', 'bash'].map(name => ({ name, fields: ['path'] }))
  return {
    dialect: 'anthropic',
    key: 'rehearsal-draft',
    model: 'claude-sonnet-4-5',
    system: '',
    turns: [{ role: 'user', text: 'Do it.', texts: ['Do it.'], calls: [], results: [] }],
    declarations,
    tools: declarations.map(({ name }) => name),
    stream: true,
    index: 0,
    body: {},
    signal: new AbortController().signal,
    ...changes,
  }
}

/** Plain HTTP with a key and a body in JSON. */
export function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

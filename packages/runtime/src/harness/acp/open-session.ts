import { fieldOf, listOf, numberOf, type Result, textOf } from '../../kit/index.ts'
import type { AgentRow } from '../../models/index.ts'
import { type AgentServer, commandOf } from '../agent-server.ts'
import type { RpcAnswer, RpcConnection } from './json-rpc.ts'

export interface SessionWish {
  readonly name: string
  readonly row: AgentRow
  readonly model: string
  readonly cwd: string
  /** Of the conversation to go on with, as the agent knows it. */
  readonly agentSessionId: string | undefined
  readonly servers?: readonly AgentServer[] | undefined
}

export type OpenedSession = Result<{ readonly agentSessionId: string }>

/** Files and terminals are the agent's own business: its commands run as its processes. */
const capabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }

/** From a fresh process to a conversation with the right model, in the right mode. All before the first token. */
export async function openSession(rpc: RpcConnection, wish: SessionWish): Promise<OpenedSession> {
  const begun = await rpc.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: capabilities,
    clientInfo: { name: 'weave', version: '1' },
  })
  if (!begun.ok) return refused(wish, 'does not begin', begun)
  const version = numberOf(fieldOf(begun.result, 'protocolVersion'))
  if (version !== 1)
    return {
      ok: false,
      message: `The agent ${wish.name} speaks version ${version ?? 'unknown'} of ACP, and weave speaks version 1.`,
    }
  const { auth } = wish.row
  const signedIn = auth === undefined ? undefined : await rpc.request('authenticate', { methodId: auth })
  if (signedIn && !signedIn.ok) return refused(wish, `cannot sign in by ${auth}`, signedIn)
  const opened = await conversation(rpc, wish, begun.result)
  if (!opened.ok) return opened
  const { agentSessionId, answer } = opened
  return (
    (await chooseModel(rpc, wish, { sessionId: agentSessionId, answer })) ??
    (await chooseMode(rpc, wish, agentSessionId)) ?? { ok: true, agentSessionId }
  )
}

type Conversation = Result<{ readonly agentSessionId: string; readonly answer: unknown }>

async function conversation(rpc: RpcConnection, wish: SessionWish, begun: unknown): Promise<Conversation> {
  const { cwd, agentSessionId: sessionId, name } = wish
  const able = fieldOf(begun, 'agentCapabilities')
  const servers = offered(wish, able)
  if (!servers.ok) return servers
  const place = { cwd, mcpServers: servers.list }
  if (sessionId === undefined) {
    const answer = await rpc.request('session/new', place)
    const id = answer.ok ? textOf(fieldOf(answer.result, 'sessionId')) : undefined
    if (!answer.ok || id === undefined) return refused(wish, 'opens no session', answer)
    return { ok: true, agentSessionId: id, answer: answer.result }
  }
  const resumes = fieldOf(fieldOf(able, 'sessionCapabilities'), 'resume')
  const method = resumes
    ? 'session/resume'
    : fieldOf(able, 'loadSession') === true
      ? 'session/load'
      : undefined
  if (method === undefined)
    return {
      ok: false,
      message: `The agent ${name} cannot continue a conversation. Set continuationMode to "fresh".`,
    }
  const answer = await rpc.request(method, { ...place, sessionId })
  if (!answer.ok) return refused(wish, 'cannot continue the conversation', answer)
  return { ok: true, agentSessionId: sessionId, answer: answer.result }
}

/** In the words of ACP. Every agent starts programs; addresses only those that say so. */
function offered(
  { servers = [], name }: SessionWish,
  able: unknown,
): Result<{ readonly list: readonly object[] }> {
  const takesHttp = fieldOf(fieldOf(able, 'mcpCapabilities'), 'http') === true
  const refusedOne = servers.find(({ reach }) => reach.kind === 'http' && !takesHttp)
  if (refusedOne)
    return {
      ok: false,
      message: `The agent ${name} takes no MCP server with an address, as ${refusedOne.name} is.`,
    }
  return { ok: true, list: servers.map(serverWords) }
}

function serverWords({ name, reach }: AgentServer): object {
  if (reach.kind === 'http') return { type: 'http', name, url: reach.url, headers: pairs(reach.headers) }
  const [command, ...args] = commandOf(reach)
  return { name, command, args, env: pairs(reach.env) }
}

function pairs(values: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }))
}

interface Session {
  readonly sessionId: string
  readonly answer: unknown
}

/** By the option of the session that is about the model. What the agent makes of it is looked at. */
async function chooseModel(
  rpc: RpcConnection,
  wish: SessionWish,
  { sessionId, answer }: Session,
): Promise<OpenedSession | undefined> {
  if (wish.row.model !== 'config') return undefined
  const option = modelOption(answer)
  const configId = textOf(fieldOf(option, 'id'))
  if (configId === undefined)
    return { ok: false, message: `The agent ${wish.name} lets nobody choose its model.` }
  const value = valueFor(option, wish.model)
  if (textOf(fieldOf(option, 'currentValue')) === value) return undefined
  const set = await rpc.request('session/set_config_option', { sessionId, configId, value })
  if (!set.ok) return refused(wish, `does not take the model ${wish.model}`, set)
  const now = textOf(fieldOf(modelOption(set.result), 'currentValue'))
  if (now === undefined || now === value) return undefined
  return { ok: false, message: `The agent ${wish.name} was to use the model ${wish.model} and chose ${now}.` }
}

function modelOption(answer: unknown): unknown {
  return listOf(fieldOf(answer, 'configOptions')).find(option => fieldOf(option, 'category') === 'model')
}

/** The choice that is called like the model, else the model itself. */
function valueFor(option: unknown, model: string): string {
  const values = listOf(fieldOf(option, 'options')).flatMap(choice => [
    choice,
    ...listOf(fieldOf(choice, 'options')),
  ])
  const texts = values.flatMap(choice => textOf(fieldOf(choice, 'value')) ?? [])
  return texts.find(text => text === model) ?? texts.find(text => text.endsWith(`/${model}`)) ?? model
}

async function chooseMode(
  rpc: RpcConnection,
  wish: SessionWish,
  sessionId: string,
): Promise<OpenedSession | undefined> {
  const { mode } = wish.row
  if (mode === undefined) return undefined
  const set = await rpc.request('session/set_mode', { sessionId, modeId: mode })
  return set.ok ? undefined : refused(wish, `has no mode ${mode}`, set)
}

function refused(
  { name }: SessionWish,
  what: string,
  answer: RpcAnswer,
): { readonly ok: false; readonly message: string } {
  const why = answer.ok ? 'its answer names none' : answer.error ? reasonOf(answer.error) : 'it has ended'
  return { ok: false, message: `The agent ${name} ${what}: ${why}` }
}

function reasonOf({
  message,
  data,
}: NonNullable<Extract<RpcAnswer, { readonly ok: false }>['error']>): string {
  const details = textOf(fieldOf(data, 'details')) ?? textOf(fieldOf(data, 'message')) ?? textOf(data)
  return details === undefined ? message : `${message}: ${details}`
}

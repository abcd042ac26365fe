#!/usr/bin/env node
/**
 * An agent that speaks ACP, for tests: it asks the messages API at ANTHROPIC_BASE_URL, runs `Bash`, keeps its conversations
 * below AGENT_HOME. What the variable LIE names it does wrong, as real agents do.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { json, text as textOf } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

const {
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: key,
  AGENT_HOME: home = '.',
  AGENT_MODEL: model,
  LIE: lie = '',
} = process.env
const sessions = new Map()
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const file = id => join(home, 'sessions', `${id}.json`)

function update(sessionId, fields) {
  send({ method: 'session/update', params: { sessionId, update: fields } })
}

function say(sessionId, text, sessionUpdate = 'agent_message_chunk') {
  // In pieces, as models do.
  const half = Math.ceil(text.length / 2)
  for (const piece of [text.slice(0, half), text.slice(half)])
    update(sessionId, { sessionUpdate, content: { type: 'text', text: piece } })
}

const tools = [
  {
    name: 'Bash',
    description: 'A shell',
    input_schema: { type: 'object', properties: { command: { type: 'string' } } },
  },
]

/** Not by fetch, which takes twice as long to load as all else here. */
function post({ messages, stop: { signal } }) {
  const headers = { 'content-type': 'application/json', 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  return new Promise((resolve, reject) => {
    request(`${url}/v1/messages`, { method: 'POST', headers, signal }, resolve)
      .on('error', reject)
      .end(JSON.stringify({ model, max_tokens: 1000, messages, tools }))
  })
}

/** One request, again and again while the provider is busy: without a word about it, as real agents do. */
async function ask(session) {
  for (let turn = 0; ; turn++) {
    const response = await post(session)
    const { statusCode: status, headers } = response
    if (status === 200) return { ok: true, content: (await json(response)).content }
    const body = await textOf(response)
    if (![429, 503, 529].includes(status) || turn > 8) return { ok: false, status, body }
    await setTimeout(Number(headers['retry-after'] ?? 1) * 1000, undefined, { signal: session.stop.signal })
  }
}

function run(command, { cwd, stop: { signal } }) {
  return new Promise(resolve => {
    const shell = spawn('bash', ['-c', command], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    let output = ''
    shell.stdout.on('data', data => {
      output += data
    })
    const stop = () => shell.exitCode ?? process.kill(-Number(shell.pid), 'SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    shell.on('exit', code => resolve({ code: code ?? 1, output }))
  })
}

async function useTool(sessionId, session, { id: toolCallId, name, input }) {
  const told = (status, fields) =>
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status, ...fields })
  told('pending', {
    sessionUpdate: 'tool_call',
    title: name,
    kind: 'execute',
    _meta: { own: { toolName: name } },
  })
  told('in_progress', { rawInput: input })
  if (lie === 'death') process.kill(process.pid, 'SIGKILL')
  const { code, output } = await run(input.command, session)
  if (lie !== 'no-update') {
    const content = [{ type: 'content', content: { type: 'text', text: output } }]
    // It says completed, whatever the command says.
    told('completed', { content, rawOutput: { exitCode: code } })
  }
  return { type: 'tool_result', tool_use_id: toolCallId, content: output, is_error: code !== 0 }
}

async function turn(sessionId, session, text) {
  session.messages.push({ role: 'user', content: [{ type: 'text', text }] })
  if (lie === 'nothing-asked') return 'end_turn'
  for (;;) {
    const answer = await ask(session)
    if (!answer.ok && lie === 'end-turn') {
      say(sessionId, `Something went wrong: ${answer.body}`)
      return 'end_turn'
    }
    if (!answer.ok)
      throw Object.assign(new Error(`API error ${answer.status}`), {
        code: -32_603,
        data: { details: answer.body },
      })
    if (lie === 'long-line') say(sessionId, 'x'.repeat(20_000_000))
    if (lie === 'endless-line') process.stdout.write(`${'y'.repeat(17 << 20)}\n`)
    if (lie === 'chatter') process.stdout.write('I am no message.\n')
    session.messages.push({ role: 'assistant', content: answer.content })
    for (const block of answer.content) {
      if (block.type === 'thinking') say(sessionId, block.thinking, 'agent_thought_chunk')
      if (block.type === 'text') say(sessionId, block.text)
    }
    const uses = answer.content.filter(({ type }) => type === 'tool_use')
    if (uses.length === 0) return lie.includes('_') || lie === 'refusal' ? lie : 'end_turn'
    const results = []
    for (const use of uses) results.push(await useTool(sessionId, session, use))
    session.messages.push({ role: 'user', content: results })
    if (session.stop.signal.aborted) return 'cancelled'
  }
}

async function prompt({ sessionId, prompt: blocks }) {
  const session = sessions.get(sessionId)
  session.stop = new AbortController()
  const text = blocks.map(block => block.text).join('\n')
  if (lie === 'permission' && (await permission(sessionId))?.outcome?.optionId !== 'yes') return {}
  const stopReason = await turn(sessionId, session, text).catch((/** @type {unknown} */ error) => {
    if (session.stop.signal.aborted) return 'cancelled'
    throw error
  })
  mkdirSync(join(home, 'sessions'), { recursive: true })
  writeFileSync(file(sessionId), JSON.stringify(session.messages))
  return { stopReason }
}

let asked
function permission(sessionId) {
  const options = [
    { optionId: 'no', kind: 'reject_once', name: 'No' },
    { optionId: 'yes', kind: 'allow_once', name: 'Yes' },
  ]
  const params = { sessionId, options, toolCall: { toolCallId: 't' } }
  send({ id: 'p1', method: 'session/request_permission', params })
  return new Promise(resolve => {
    asked = resolve
  })
}

const methods = {
  initialize: () => ({
    protocolVersion: lie === 'version-2' ? 2 : 1,
    agentCapabilities: {
      loadSession: lie === 'load',
      mcpCapabilities: { http: true },
      sessionCapabilities: lie === 'load' || lie === 'forgetful' ? {} : { resume: {} },
    },
  }),
  'session/new': ({ cwd, mcpServers = [] }) => {
    if (mcpServers.length > 0) writeFileSync(join(cwd, 'told-servers.json'), JSON.stringify(mcpServers))
    return opened(randomUUID(), cwd, [])
  },
  'session/resume': ({ sessionId, cwd }) =>
    opened(sessionId, cwd, JSON.parse(readFileSync(file(sessionId), 'utf8'))),
  'session/load': ({ sessionId, cwd }) => {
    say(sessionId, 'What was said before.')
    return opened(sessionId, cwd, JSON.parse(readFileSync(file(sessionId), 'utf8')))
  },
  'session/set_mode': () => ({}),
  'session/prompt': prompt,
}

function opened(sessionId, cwd, messages) {
  sessions.set(sessionId, { cwd, messages, stop: new AbortController() })
  return { sessionId }
}

async function take({ id, method, params, result }) {
  if (method === undefined) return asked?.(result)
  if (method === 'session/cancel')
    return lie === 'deaf' ? undefined : sessions.get(params.sessionId)?.stop.abort()
  try {
    if (!methods[method]) throw Object.assign(new Error(`No ${method}`), { code: -32_601 })
    send({ id, result: await methods[method](params) })
  } catch (error) {
    send({ id, error: { code: error.code ?? -32_603, message: error.message, data: error.data } })
  }
}

if (lie === 'deaf') process.on('SIGTERM', () => undefined)
let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', text => {
  const lines = (rest + String(text)).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) void take(JSON.parse(line))
})
process.stdin.on('end', () => lie !== 'deaf' && process.exit(0))

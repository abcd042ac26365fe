import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon as codonOf, hankFolder } from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'
import { playInPage } from './browser-player.ts'
import { sharedBrowser } from './chromium.ts'
import { playRaw } from './raw-player.ts'
import { type Observation, scenario, scenarioFile } from './scenario.ts'

beforeAll(scriptedWeave, 120_000)

const browser = sharedBrowser()

/** With the names that the story tells. */
const codon = (id: string) => codonOf(id, { name: `Part ${id}` })
const served = async () => (await hankFolder([codon('a')])).serve()

const python = '/usr/bin/python3'

async function playPython(port: number): Promise<readonly Observation[]> {
  if (!existsSync(python))
    throw new Error('This test needs Python: apt-get install python3 python3-websockets')
  const program = new URL('./scenario.py', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(python, [program, scenarioFile, `ws://127.0.0.1:${port}`])
  return JSON.parse(stdout) as readonly Observation[]
}

/** The server has no page for browsers yet; what it answers to a plain request is of its origin all the same. */
async function playBrowser(port: number): Promise<readonly Observation[]> {
  const context = await (await browser()).newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`http://localhost:${port}/`)
  return playInPage(page, scenario)
}

const codonRun = ['codon.started', 'codon.completed', 'server.idle']
const lastCodonRun = ['codon.started', 'codon.completed', 'run.completed', 'server.idle']
const stepBack = ['rollback.started', 'run.started', 'rollback.completed', 'server.idle']
const isOfTheSpec = (type: string): boolean => !type.startsWith('run.')

const story: readonly Observation[] = [
  ['writer', 'handshake.response', 'readandwrite', 5, 5],
  ['writer', 'server.ready'],
  ['reader', 'handshake.response', 'readonly', 3, 5],
  ['reader', 'server.ready'],
  ['writer', 'codon.started', 'a', 'Part a', 'next-a'],
  ['writer', 'state.transition', 'a', null],
  ['writer', 'codon.completed', 'a', true, 'success', null],
  ['writer', 'server.idle', 'codon-completed', null],
  ['writer', 'state.snapshot', ['a'], ['a.md'], false, null],
  ['reader', 'codon.started', 'a', 'next-a'],
  ['reader', 'codon.completed', 'a', true, null],
  ['reader', 'error', 'INSUFFICIENT_PERMISSIONS', 'operation', false, 'denied'],
  ['reader', 'error', 'INVALID_COMMAND', 'operation', 'unreadable'],
  ['writer', 'codon.started', 'b', 'next-b'],
  ['writer', 'codon.completed', 'b', true, null],
  ['writer', 'server.idle', 'all-codons-completed', null],
  ['writer', 'state.snapshot', ['a', 'b'], null],
  ['writer', 'checkpoint.list', ['a', 'b'], ['completed', 'completed'], 'list'],
  ['writer', 'history', true, true, 9],
  ['writer', 'rollback.started', 'a', ['b'], 'back'],
  ['writer', 'rollback.completed', 'a', 'completed', null],
  ['writer', 'state.snapshot', ['a'], false, null],
  ['reader', 'rollback.completed', 'a', null],
  ['writer', 'codon.started', 'b', 'again'],
  ['writer', 'codon.completed', 'b', true, null],
  ['writer', 'server.idle', 'all-codons-completed', null],
  ['writer', 'error', 'NO_NEXT_CODON', 'too-far'],
  ['reader', 'pong', 'pong', 'hello'],
  ['writer', 'history', true, true, 17],
  ['writer', 'chronicle', true, [...codonRun, ...lastCodonRun, ...stepBack, ...lastCodonRun]],
  [
    'reader',
    'chronicle',
    true,
    [...codonRun, ...lastCodonRun, ...stepBack, ...lastCodonRun].filter(isOfTheSpec),
  ],
  ['writer', 'closed', 1001],
  ['reader', 'closed', 1001],
]

const players: Readonly<Record<string, (port: number) => Promise<readonly Observation[]>>> = {
  'a Python program with the library of its system': playPython,
  'a web page with the WebSocket of its browser': playBrowser,
  'frames written by hand onto a bare socket': port => playRaw(scenario, port),
}

describe('clients that share no code with the server', () => {
  const told: (readonly Observation[])[] = []
  for (const [who, play] of Object.entries(players)) {
    verifies(
      [
        '4.1/one-endpoint',
        '4.1/json-text-frames',
        '4.1/command-envelope',
        '4.1/handshake-response-mode',
        '4.1/codon-next',
        '4.1/checkpoint-list',
        '4.1/rollback-to-checkpoint',
        '4.1/history-sync',
        '4.1/server-shutdown',
        '5/mode-chosen-in-handshake',
        '5/no-credential-in-handshake',
        '5/readonly-receives-events',
        '5/readandwrite-receives-events',
        '6/server-ready-right-after-handshake',
        '7.1/code-insufficient-permissions',
        'd5/extensions-opt-in',
        'd5/error-no-next-codon',
      ],
      `${who}: a whole run, a step back and a graceful end`,
      async () => {
        const at = await hankFolder([codon('a'), codon('b')])
        const run = await at.serve()
        const seen = await play(run.port)
        expect(seen).toEqual(story)
        told.push(seen)
        expect(await run.ended).toBe(0)
        expect([at.read('a.md'), at.read('b.md')]).not.toContain(undefined)
      },
      60_000,
    )
  }

  test('all of them have seen the same', () => {
    expect(told).toHaveLength(3)
    expect(new Set(told.map(seen => JSON.stringify(seen))).size).toBe(1)
  })
})

verifies(
  ['d12/origin-header'],
  'a web page of another origin is refused by the server, and its browser says so',
  async () => {
    const [ours, other] = await Promise.all([served(), served()])
    const context = await (await browser()).newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(`http://localhost:${other.port}/`)
    const outcome = (target: string): Promise<unknown> =>
      page.evaluate<unknown>(`new Promise(resolve => {
        const socket = new WebSocket('${target}')
        socket.onopen = () => resolve('open')
        socket.onclose = ({ code }) => resolve(code)
      })`)
    expect(await outcome(`ws://localhost:${ours.port}`)).toBe(1006)
    // The same machine, spelled otherwise, is another origin too.
    expect(await outcome(`ws://127.0.0.1:${other.port}`)).toBe(1006)
    expect(await outcome(`ws://localhost:${other.port}`)).toBe('open')
  },
  60_000,
)

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon as codonOf, type HankFolder, hankFolder, loop as loopOf, rig } from '../support/hank-folder.ts'
import { steer } from '../support/steering-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'
import { startInTerminal, type TerminalSession } from './tui-terminal.ts'

beforeAll(scriptedWeave, 120_000)

const codon = (id: string, fields: object = {}) =>
  codonOf(id, {
    name: `Part ${id}`,
    checkpointedFiles: ['*.md', '*.txt'],
    onFailure: 'abort',
    ...fields,
  })
const hanging = (id: string) => codon(id, { promptText: `Work on ${id}. Then hang.` })
const loop = loopOf('again', [codon('b')], { name: 'The loop' })
const place = (...items: readonly object[]) =>
  hankFolder({ meta: { name: 'Tale', version: '1.0.0' }, hank: items })

/** A code that sets a colour of text or of what is behind it. */
const colours = /\x1b\[[\d;]*[34][0-7][\d;]*m/

interface Start {
  /** What stands before the command in the shell. */
  readonly before?: string
  readonly words?: string
  readonly env?: Readonly<Record<string, string>>
  readonly size?: { readonly columns: number; readonly rows: number }
}

async function start(at: HankFolder, options: Start = {}): Promise<TerminalSession> {
  const { before = '', words = '', env = {}, size } = options
  const command = `${before} "${process.execPath}" "${await scriptedWeave()}" ${words}`
  return startInTerminal(command, { cwd: at.cwd, env: { ...at.env, ...env }, ...size })
}

/** Ends the session in the one way that is right: everything restored, and this exit code. */
async function endsWith(session: TerminalSession, code: number): Promise<string> {
  const text = await session.shows(/^EXIT /m)
  expect(text).toMatch(new RegExp(`^RESTORED\nEXIT ${code}$`, 'm'))
  expect(session.isCovered()).toBe(false)
  return text
}

/** The processes below another whose command line has a word. */
function childrenOf(parent: number, word: string): readonly number[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const below = pids.filter(pid => parentOf(pid) === parent)
  return below.flatMap(pid => [
    ...(told(pid, 'cmdline').includes(word) ? [Number(pid)] : []),
    ...childrenOf(Number(pid), word),
  ])
}

function parentOf(pid: string): number {
  return Number(told(pid, 'stat').split(') ').at(-1)?.split(' ')[1])
}

/** What the system says about a process, which may be gone by now. */
function told(pid: string, about: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${about}`, 'utf8')
  } catch {
    return ''
  }
}

const serverOf = (session: TerminalSession): number => childrenOf(session.shell(), 'weave.cjs')[0] ?? 0
const faceOf = (session: TerminalSession): number => childrenOf(session.shell(), 'terminal-face')[0] ?? 0

describe('the terminal UI of a run', () => {
  verifies(
    ['d2/mode-terminal'],
    'shows a whole run, follows the window as it changes, and leaves with q when the hank is done',
    async () => {
      const session = await start(await place(codon('a', rig('echo first > kept.txt')), loop, codon('c')))
      await session.shows('The hank is done')
      expect(session.isCovered()).toBe(true)
      await session.shows(/^ Tale {2}completed .* 3\/3 · /m)
      await session.shows(/✓ Part a/)
      await session.shows(/✓ The loop {2}2 done/)
      await session.shows('▸ Write b#1.md')
      await session.shows('codon c completed')
      expect(session.painted()).toMatch(colours)
      session.resize(40, 12)
      expect(await session.shows(/^ 1 Stream {2}2 {2}3/m)).not.toContain('│')
      session.resize(160, 30)
      await session.shows('│')
      session.press('3')
      await session.shows('A c.md')
      session.press('Enter')
      await session.shows('+ A scripted agent wrote this.')
      session.press('q', 'q')
      expect(await endsWith(session, 0)).toContain('The hank is done')
    },
  )

  test('goes back to a checkpoint that a person chose, and on from there', async () => {
    const at = await place(
      codon('a', rig('echo first > kept.txt')),
      codon('b', rig('echo second >> kept.txt')),
      hanging('c'),
    )
    const session = await start(at)
    await session.shows(/^ ▶ c Part c/m)
    const kept = at.workspace('kept.txt')
    expect(readFileSync(kept, 'utf8')).toBe('first\nsecond\n')
    session.press('b')
    await session.shows(/▌.* b \(completed\)/)
    session.press('Down', 'Down')
    await session.shows(/▌.* a \(completed\)/)
    session.press('Enter')
    await session.shows('Go back to a (completed)?')
    await session.shows('Undone: b, c.')
    await session.shows('modified kept.txt')
    session.press('y')
    await session.shows('The rollback has ended.')
    expect(readFileSync(kept, 'utf8')).toBe('first\n')
    expect(existsSync(at.workspace('c.md'))).toBe(false)
    session.press('n', '1')
    await session.shows(/^ ▶ c Part c/m)
    expect(readFileSync(kept, 'utf8')).toBe('first\nsecond\n')
    session.press('s')
    await session.shows('Skip c?')
    session.press('y')
    await session.shows('The hank is done')
    session.press('C-c')
    await endsWith(session, 0)
  })

  verifies(
    ['1/terminal-ui-uses-websocket-api'],
    'may no more than any other client: with --readonly-only it cannot steer its own run',
    async () => {
      const at = await place(hanging('a'))
      const session = await start(at, { words: '--readonly-only' })
      await session.shows('read-only')
      session.press('s')
      await session.shows('cannot steer the run')
      session.press('q')
      expect(await endsWith(session, 130)).toMatch(/^Go on with weave -e /m)
    },
  )

  verifies(
    ['2.9/show-costs', 'd2/flag-no-color'],
    'shows costs when WEAVE_RUNTIME_SHOW_COSTS says so, and no colours with --no-color',
    async () => {
      const env = { WEAVE_RUNTIME_SHOW_COSTS: 'true' }
      const session = await start(await place(codon('a')), { env, words: '--no-color' })
      await session.shows('The hank is done')
      await session.shows(/1\/1 · \$0\.00/)
      expect(session.painted()).not.toMatch(colours)
      session.press('c')
      await session.shows(/1\/1 · \d/)
      session.press('q')
      await endsWith(session, 0)
      expect(session.screen()).toMatch(/^Cost +\$0\.00/m)
    },
  )

  verifies(['2.9/show-costs-default'], 'hides costs and tokens, in the last words too', async () => {
    const session = await start(await place(codon('a')))
    await session.shows('The hank is done')
    expect(session.screen()).not.toMatch(/\$\d| tokens/)
    session.press('q')
    await endsWith(session, 0)
    expect(session.screen()).toMatch(/^The hank is done\nWorkspace /m)
    expect(session.screen()).not.toMatch(/^Cost|\$\d| tokens/m)
  })

  verifies(['d2/flag-headless'], 'gives way to plain lines with --headless', async () => {
    const session = await start(await place(codon('a')), { words: '--headless' })
    const text = await session.shows(/^EXIT 0$/m)
    expect(text).toMatch(/^\d\d:\d\d:\d\d codon a started: Part a$/m)
  })

  test('gives way to plain lines on a terminal that can do nothing', async () => {
    const session = await start(await place(codon('a')), { before: 'TERM=dumb' })
    const text = await session.shows(/^EXIT 0$/m)
    expect(text).toMatch(/^\d\d:\d\d:\d\d codon a started: Part a$/m)
  })

  test('reads its keys from the terminal when the data came over stdin', async () => {
    const session = await start(await place(codon('a')), { before: 'echo some data |', words: 'hank.json -' })
    await session.shows('The hank is done')
    session.press('q')
    await endsWith(session, 0)
  })
})

describe('the end of a terminal UI', () => {
  test('that is killed: the terminal is restored, the run goes on and says lines', async () => {
    const at = await place(codon('b', rig('until [ -e go ]; do sleep 0.05; done')))
    const session = await start(at)
    await session.shows(/^ ▶ b Part b/m)
    process.kill(faceOf(session), 'SIGKILL')
    await session.shows('The terminal UI has ended unexpectedly: it ended with SIGKILL')
    expect(session.isCovered()).toBe(false)
    writeFileSync(at.workspace('go'), '')
    const text = await endsWith(session, 0)
    expect(text).toMatch(/^\d\d:\d\d:\d\d codon b completed/m)
    expect(text).toContain('The hank is done')
  })

  test('that is killed while nobody else could go on: the server ends too, and says why', async () => {
    const session = await start(await place(codon('a')), { words: '--no-autostart' })
    expect(await session.shows('n starts Part a')).not.toContain('Waiting for a client')
    process.kill(faceOf(session), 'SIGKILL')
    expect(await endsWith(session, 1)).toContain('The server waits for somebody, so it ends too.')
  })

  test('whose server is told to end: the terminal is restored and the summary printed', async () => {
    const session = await start(await place(hanging('a')))
    await session.shows(/^ ▶ a Part a/m)
    process.kill(serverOf(session), 'SIGTERM')
    expect(await endsWith(session, 143)).toContain('The hank was stopped: SIGTERM')
  })

  test('whose server is killed: the screen leaves by itself', async () => {
    const session = await start(await place(hanging('a')))
    await session.shows(/^ ▶ a Part a/m)
    process.kill(serverOf(session), 'SIGKILL')
    await session.shows(/^EXIT 137$/m)
    await expect.poll(() => session.isCovered()).toBe(false)
  })

  test('that hangs: the run does not notice, and ends when it is told to', async () => {
    const session = await start(await place(codon('a'), hanging('b')))
    await session.shows(/^ ▶ b Part b/m)
    process.kill(faceOf(session), 'SIGSTOP')
    process.kill(serverOf(session), 'SIGTERM')
    await session.shows(/^EXIT 143$/m)
    expect(session.isCovered()).toBe(false)
  })

  verifies(
    ['repair/leave-code', 'detach/attach'],
    'that a person wants at once: the second q does not wait for the codon; the first says how to leave a run going',
    async () => {
      const session = await start(await place(codon('a', rig(`trap '' TERM; sleep 30; sleep 30`))))
      await session.shows(/^ ▶ a Part a/m)
      session.press('q')
      await session.shows('q once more ends it at once. To leave one going: weave -d, then weave attach.')
      session.press('q')
      expect(await endsWith(session, 130)).toMatch(/^Ended at once\. Go on with: weave -e /m)
    },
  )
})

describe('weave attach in a terminal', () => {
  verifies(
    ['d2/command-attach', 'd2/attach-readonly', 'd2/attach-quit'],
    'shows the run of another process, may not steer it, and leaves it alone',
    async () => {
      const at = await place(codon('a'), hanging('b'))
      const run = await at.startScripted('--headless')
      await run.until('codon b started')
      const session = await start(at, { words: 'attach' })
      await session.shows(/^ ▶ b Part b/m)
      await session.shows('read-only')
      await session.shows('codon a completed')
      const { events, until } = await steer(at.execution())
      for (const key of ['n', 's', 'f', 'r', 'b']) session.press(key)
      await session.shows('b cannot steer the run')
      session.press('q')
      await endsWith(session, 0)
      const again = await start(at, { words: 'attach < /dev/null' })
      await again.shows('read-only')
      again.press('q')
      await endsWith(again, 0)
      const other = await steer(at.execution())
      await other.client.send('codon.skip')
      await until('codon.completed', 0, event => event.data.codonId === 'b')
      expect(events.filter(event => event.type === 'error')).toEqual([])
      expect(await run.ended).toBe(0)
    },
  )
})

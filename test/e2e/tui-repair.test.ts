import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, command, type HankFolder, hankFolder, rig } from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'
import { startInTerminal, type TerminalSession } from './tui-terminal.ts'

beforeAll(scriptedWeave, 120_000)

/** Its check fails for good, which ends a server that nobody looks at. */
const failing = codon('b', {
  promptFile: 'b.md',
  promptText: undefined,
  outputFiles: [{ copy: ['b.md'], beforeCopy: [command('test -e "$HOME/mended"')] }],
})

async function place(): Promise<HankFolder> {
  const at = await hankFolder([codon('a'), failing, codon('c')], {
    'b.md': 'Work on b.',
    'home/.keep': '',
    'editor.sh': '#!/bin/sh\necho THE EDITOR\necho "And well." >> "$1"\ntouch "$HOME/mended"\nread line\n',
  })
  chmodSync(at.path('editor.sh'), 0o755)
  return at
}

async function start(at: HankFolder, words = '', more = {}): Promise<TerminalSession> {
  const env = { ...at.env, EDITOR: at.path('editor.sh'), ...more }
  return startInTerminal(`"${process.execPath}" "${await scriptedWeave()}" ${words}`, {
    cwd: at.cwd,
    env,
    columns: 140,
  })
}

const repairs = /r again {2}b go back {2}e edit its prompt {2}a adopt the edited hank {2}q leave/

describe('a codon that fails before the eyes of a person', () => {
  verifies(
    ['repair/screen-stays', 'repair/screen-again'],
    'leaves the screen up with what can be done; r does it again; leaving exits 1',
    async () => {
      const at = await place()
      const session = await start(at)
      await session.shows(/^ The run failed: b: /m)
      await session.shows(repairs)
      expect(session.isCovered()).toBe(true)
      session.press('r')
      await session.shows('Do b again?')
      session.press('y')
      await expect.poll(() => at.events('run.started').length, { timeout: 20_000 }).toBe(2)
      await session.shows(repairs)
      session.press('q')
      const text = await session.shows(/^RESTORED\nEXIT 1$/m)
      expect(text).toContain('The hank failed: b: ')
      expect(text).toContain('Go on with weave -e ')
    },
  )

  verifies(['repair/screen-edit'], 'e edits its prompt, and the codon is done again', async () => {
    const at = await place()
    const session = await start(at)
    await session.shows(repairs)
    session.press('e')
    await session.shows('THE EDITOR')
    expect(session.isCovered()).toBe(false)
    session.press('Enter')
    await session.shows('The hank is done')
    expect(session.isCovered()).toBe(true)
    expect(at.read('b.md')).toContain('And well.')
    session.press('q')
    await session.shows(/^RESTORED\nEXIT 0$/m)
  })

  verifies(['repair/screen-adopt'], 'a adopts the edited hank and goes on with it', async () => {
    const at = await place()
    const session = await start(at)
    await session.shows(repairs)
    const edited = readFileSync(at.path('hank.json'), 'utf8').replace('test -e', 'echo')
    at.write({ 'hank.json': edited })
    session.press('a')
    await session.shows('Adopt the edited hank? [y/N]')
    expect(session.isCovered()).toBe(false)
    session.press('y', 'Enter')
    await session.shows('The hank is done')
    expect(at.executions()).toHaveLength(1)
    expect(at.events('codon.started').map(({ data }) => data['codonId'])).toEqual(['a', 'b', 'b', 'c'])
    session.press('q')
    await session.shows(/^RESTORED\nEXIT 0$/m)
  })

  verifies(['repair/screen-adopt'], 'a that is answered with no says how to go on', async () => {
    const at = await place()
    const session = await start(at)
    await session.shows(repairs)
    at.write({ 'hank.json': readFileSync(at.path('hank.json'), 'utf8').replace('test -e', 'echo') })
    session.press('a')
    await session.shows('Adopt the edited hank? [y/N]')
    session.press('n', 'Enter')
    const text = await session.shows(/^RESTORED\nEXIT 1$/m)
    expect(text).toMatch(/Nothing was done\.\nGo on with weave -e /)
  })

  verifies(
    ['repair/screen-left'],
    'that is left while its agent cannot be ended: 130 all the same, and how to go on',
    async () => {
      const at = await hankFolder([codon('a', { promptText: 'Work on a. Then hang for ever.' })])
      const session = await start(at, '', { SCRIPTED_SHUTDOWN_MS: '300' })
      await session.shows('▸ Write a.md')
      session.press('q')
      const text = await session.shows(/^RESTORED\nEXIT 130$/m)
      expect(text).toContain('The shutdown hangs and is cut off.')
      expect(text).toContain('Go on with: weave -e ')
    },
  )

  verifies(['repair/screen-left'], 'that is left while it works: 130, and how to go on', async () => {
    const at = await hankFolder([codon('a', { promptText: 'Work on a. Then hang.' })])
    const session = await start(at)
    await session.shows(/^ ▶ a /m)
    session.press('q')
    expect(await session.shows(/^RESTORED\nEXIT 130$/m)).toContain('Go on with weave -e ')
  })
})

describe('what the screen says', () => {
  verifies(
    ['repair/screen-next', 'repair/screen-skipped', 'repair/screen-whole-execution'],
    'names what n starts, a codon that was skipped, and the sums of several runs',
    async () => {
      const at = await hankFolder([
        codon('a', rig('sleep 1.5')),
        codon('b', { promptText: 'Work on b. Then hang.' }),
      ])
      const session = await start(at, '--no-autostart')
      expect(await session.shows('n starts a')).not.toContain('Waiting for a client')
      session.press('n')
      await session.shows('n starts b')
      session.press('n')
      await session.shows(/^ ▶ b /m)
      session.press('s')
      await session.shows('Skip b?')
      session.press('y')
      const text = await session.shows('The hank is done')
      expect(text).toMatch(/codon b skipped by hand after /)
      expect(text).not.toContain('codon b failed')
      session.press('r')
      await session.shows('again?')
      session.press('y')
      await expect.poll(() => at.events('run.started').length, { timeout: 20_000 }).toBe(2)
      session.press('q')
      const end = await session.shows(/^RESTORED\nEXIT \d+$/m)
      expect(end).toMatch(/^ {2}a +/m)
    },
  )

  verifies(
    ['repair/screen-whole-execution', 'repair/rollback-outputs'],
    'has the time of all runs, and at the end every codon of the execution with what it took',
    async () => {
      const outputFiles = [{ copy: ['c.md'] }]
      const at = await hankFolder([codon('a', rig('sleep 2')), codon('b'), codon('c', { outputFiles })])
      const session = await start(at)
      await session.shows(/^ The hank is done in /m)
      session.press('b')
      await session.shows('b (completed)')
      session.press('Down', 'Enter')
      const asked = await session.shows('Go back to b (completed)?')
      expect(asked).toMatch(/Outputs stay in .*weave-results:\n[^\n]*c\.md of c/)
      session.press('a')
      await expect.poll(() => at.events('run.completed').length, { timeout: 20_000 }).toBe(2)
      const text = await session.shows(/^ The hank is done in /m)
      const [, seconds = '0'] = /The hank is done in ([\d.]+) s/.exec(text) ?? []
      expect(Number(seconds)).toBeGreaterThan(2)
      session.press('q')
      const end = await session.shows(/^RESTORED\nEXIT 0$/m)
      expect(end.match(/^ {2}[abc] +completed /gm)).toHaveLength(3)
      expect(end).toMatch(/^ {2}a +completed +[2-9]\.\d s/m)
    },
  )

  verifies(
    ['repair/screen-search', 'repair/screen-following', 'repair/screen-edits'],
    'counts matches, unfolds what hides one, and says that the stream is not followed',
    async () => {
      const at = await hankFolder([codon('a'), codon('b', { promptText: 'Work on b. Then hang.' })])
      const session = await start(at)
      await session.shows(/^ ▶ b /m)
      await session.shows('▸ Write b.md')
      session.press('/')
      session.press('-l', 'scripted agent wrote')
      session.press('Enter')
      await session.shows(/\/scripted agent wrote · 2 of 2 · following off · 0 new · End/)
      await session.shows('+ A scripted agent wrote this.')
      session.press('[')
      await session.shows(/· 1 of 2 ·/)
      session.press('End')
      await expect.poll(() => session.screen()).not.toContain('following off')
      session.press('q')
      await session.shows(/^RESTORED\nEXIT 130$/m)
    },
  )
})

describe('weave show', () => {
  verifies(
    ['repair/show', 'repair/files-of-rigs'],
    'shows an execution at rest on the screen of a run, with whose each file is, and changes nothing',
    async () => {
      const at = await hankFolder([codon('a', rig('echo rig > rig.md')), codon('b')])
      expect((await at.scripted('--headless')).status).toBe(0)
      const before = listed(at.execution())
      spawnSync('chmod', ['-R', 'a-w', at.execution()])
      const session = await start(at, 'show')
      await session.shows(/ at rest {2}completed/)
      await session.shows(/^ The hank is done in .*q leaves\./m)
      await session.shows('codon b completed')
      session.press('3')
      expect(await session.shows('A a.md')).toMatch(/A rig\.md +rig of a \d/)
      expect(session.screen()).toMatch(/A a\.md +a \d/)
      session.press('Enter')
      await session.shows('+ A scripted agent wrote this.')
      session.press('Enter', 's')
      await session.shows('cannot steer the run')
      session.press('q')
      await session.shows(/^RESTORED\nEXIT 0$/m)
      spawnSync('chmod', ['-R', 'u+w', at.execution()])
      expect(listed(at.execution())).toEqual(before)
    },
  )

  verifies(['repair/show'], 'says what to use where there is no terminal', async () => {
    const at = await hankFolder([codon('a')])
    const { status, stderr } = await at.scripted('show')
    expect(status).toBe(2)
    expect(stderr).toContain('weave journal')
  })
})

/** Every file with its size and time. */
function listed(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .sort()
    .map(path => {
      const { size, mtimeMs } = lstatSync(join(dir, path))
      return `${path} ${size} ${mtimeMs}`
    })
}

import { chmodSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, rig } from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'
import { startInTerminal, type TerminalSession } from './tui-terminal.ts'

beforeAll(scriptedWeave, 120_000)

const failing = codon('b', { promptFile: 'b.md', promptText: undefined, ...rig('test -e "$HOME/mended"') })

async function place(): Promise<HankFolder> {
  const at = await hankFolder([codon('a'), failing, codon('c')], {
    'b.md': 'Work on b.',
    'home/.keep': '',
    'editor.sh': '#!/bin/sh\necho THE EDITOR\necho "And well." >> "$1"\ntouch "$HOME/mended"\nread line\n',
  })
  chmodSync(at.path('editor.sh'), 0o755)
  return at
}

async function start(at: HankFolder): Promise<TerminalSession> {
  const env = { ...at.env, EDITOR: at.path('editor.sh') }
  return startInTerminal(`"${process.execPath}" "${await scriptedWeave()}"`, {
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
      await session.shows(/^ The run failed: b: Rig operation 1 failed/m)
      await session.shows(repairs)
      expect(session.isCovered()).toBe(true)
      session.press('r')
      await session.shows('Do b again?')
      session.press('y')
      await expect.poll(() => at.events('run.started').length, { timeout: 20_000 }).toBe(2)
      await session.shows(repairs)
      session.press('q')
      const text = await session.shows(/^RESTORED\nEXIT 1$/m)
      expect(text).toContain('The hank failed: b: Rig operation 1 failed')
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
    expect(at.events('codon.started').map(({ data }) => data['codonId'])).toEqual(['a', 'b', 'c'])
    session.press('q')
    await session.shows(/^RESTORED\nEXIT 0$/m)
  })

  verifies(['repair/screen-left'], 'that is left while it works: 130, and how to go on', async () => {
    const at = await hankFolder([codon('a', { promptText: 'Work on a. Then hang.' })])
    const session = await start({ ...at, path: at.path })
    await session.shows(/^ ▶ a /m)
    session.press('q')
    expect(await session.shows(/^RESTORED\nEXIT 130$/m)).toContain('Go on with weave -e ')
  })
})

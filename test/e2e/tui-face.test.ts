import { describe, expect, it } from 'vitest'
import type { EventData } from '../../packages/client/src/index.ts'
import { sampleEvent } from '../../packages/client/test/event-samples.ts'
import type { ScriptedServer } from '../../packages/client/test/scripted-server.ts'
import { story } from '../../packages/client/test/story.ts'
import { verifies } from '../conformance/verifies.ts'
import { faceOn } from './tui-open-face.ts'

const keys = {
  up: '\x1b[A',
  down: '\x1b[B',
  pageUp: '\x1b[5~',
  pageDown: '\x1b[6~',
  enter: '\r',
  escape: '\x1b',
}

/** A run that has done its first codon and is in the first iteration of its loop. */
function underWay(server: ScriptedServer): void {
  const told = story()
  told.startRun('run-1')
  told.run('draft', 0.25)
  told.start('review#0')
  told.move({
    type: 'CheckpointCreated',
    data: { codonId: 'review#0', checkpointType: 'rig-setup', sha: 'abcdef0123456789' },
  })
  told.tell('assistant.action', { codonId: 'review#0', action: 'message', content: 'I look at the draft.' })
  told.tell('assistant.action', {
    codonId: 'review#0',
    action: 'tool_use',
    content: '',
    toolName: 'Bash',
    toolInput: { command: 'wc -w draft.md' },
  })
  told.tell('tool.result', {
    codonId: 'review#0',
    toolUseId: 't1',
    toolName: 'Bash',
    result: 'first line\nsecond line\nthird line\nfourth line',
    truncated: false,
    originalLength: 40,
    executionTimeMs: 12,
    isError: false,
  })
  server.journal.push(...told.events)
}

const file = (path: string, content: string, action: EventData<'file.updated'>['action']) =>
  ({ path, filename: path, content, action }) as const

describe('the screen', () => {
  it('shows the plan, what goes on, and what was said and done', async () => {
    const { shows, terminal } = await faceOn({ before: underWay, size: { columns: 120, rows: 24 } })
    const text = await shows('I look at the draft.')
    expect(terminal.lines()[0]).toMatch(/^ A hank {2}running .* 1\/3 · /)
    expect(terminal.lines()[1]).toMatch(/^ ▶ review#0 Review · sonnet · /)
    expect(text).toMatch(/✓ Draft +\d/)
    expect(text).toContain('↻ Polish  iteration 1 of 3')
    expect(text).toMatch(/ {3}▶ Review/)
    expect(text).toMatch(/ {3}· Fix/)
    expect(text).toContain('▸ Bash wc -w draft.md')
    expect(text).toContain('first line … 4 lines')
  })

  verifies(
    ['2.9/show-costs-default'],
    'hides money and tokens everywhere until they are asked for',
    async () => {
      const { shows, type } = await faceOn({ before: underWay, size: { columns: 140, rows: 30 } })
      await shows('I look at the draft.')
      for (const panel of ['1', '2', '3', '4', '5', '6']) {
        type(panel)
        expect(await shows('A hank')).not.toMatch(/\$|tokens| in, /)
      }
      type('2c')
      const shown = await shows('$0.2500')
      expect(shown).toContain('110 in, 5 out')
    },
  )

  it('shows money and tokens from the beginning when it is told so', async () => {
    const { shows } = await faceOn({ before: underWay, costs: true, size: { columns: 140, rows: 30 } })
    await shows(/1\/3 · \$0\.2500/)
  })

  it('unfolds what a tool answered and folds it again', async () => {
    const { shows, type } = await faceOn({ before: underWay })
    await shows('first line … 4 lines')
    type(keys.up)
    await shows(/▌.*first line/)
    type(keys.enter)
    await shows('fourth line')
    type(keys.enter)
    await shows('first line … 4 lines')
    type('x')
    await shows('command: wc -w draft.md')
  })

  it('searches, marks and goes round; shows only what matches; takes it all away again', async () => {
    const { server, shows, type } = await faceOn({ before: underWay })
    await shows('I look at the draft.')
    for (let index = 0; index < 60; index++) server.append('info', { message: `line ${index}` })
    await shows('line 59')
    type('/draft.md')
    await shows('/draft.md_')
    type(keys.enter)
    await shows(/▌.*Bash wc -w draft\.md/)
    type('m')
    expect(await shows('only')).not.toContain('line 59')
    type(keys.escape)
    expect(await shows('line 0')).not.toContain('only')
    type(keys.escape)
    await shows('line 59')
    type('t')
    await shows('agent')
  })

  it('says what a file has become', async () => {
    const { server, shows, type } = await faceOn({ before: underWay })
    await shows('I look')
    server.append('file.updated', file('notes.md', 'one\ntwo\n', 'created'))
    server.append('codon.started', {
      codonId: 'fix#0',
      codonName: 'Fix',
      sessionId: 's',
      startTime: '2026-01-01T00:00:00.000Z',
    })
    server.append('file.updated', file('notes.md', 'one\n2\n', 'modified'))
    type('3')
    await shows(/▌M notes\.md +2x fix#0/)
    type(keys.enter)
    const text = await shows('Changed by fix#0.')
    expect(text).toContain('- two')
    expect(text).toContain('+ 2')
    type('q')
    await shows(/▌M notes\.md/)
  })

  it('counts down to the next attempt, shows a parked run, a rollback, and limits', async () => {
    const { server, shows, type } = await faceOn({ before: underWay })
    await shows('I look')
    server.append('codon.retrying', {
      codonId: 'review#0',
      attempt: 2,
      maxAttempts: 3,
      delayMs: 30_000,
      resumeAt: '2026-01-01T00:01:30.000Z',
      failureReason: { type: 'rate-limit', retriable: true, message: 'slow down' },
    })
    await shows('review#0: attempt 2 of 3 in 30 s (slow down)')
    server.append('run.parked', {
      codonId: 'review#0',
      until: '2026-01-01T02:01:00.000Z',
      reason: 'rate limit',
    })
    await shows(/Parked until \d\d:01:00 \(in 2h 00m\): review#0, rate limit/)
    server.append('rollback.started', {
      fromRun: 'run-1',
      fromCodon: 'review#0',
      toCodon: 'draft',
      toCheckpoint: 'abc',
      checkpointType: 'completed',
      codonsToProcess: [],
    })
    server.append('rollback.progress', { currentStep: 2, totalSteps: 5, message: 'restoring files' })
    await shows('Going back to draft 2 of 5: restoring files')
    server.append('preflight.result', {
      ok: true,
      problems: [],
      plan: {
        budget: { maxDollars: 1 },
        ceilings: { maxTimeSeconds: { value: 600, origin: '--max-time' } },
        items: [],
      },
    })
    type('5')
    const bars = await shows(/money of the hank +█+░+ +25 %/)
    expect(bars).toMatch(/time of the run \(--max-time\).* of 10m 00s/)
    expect(bars).toMatch(/25 % \$0\.2500 of \$1\.00/)
  })

  it('shows sentinels and only what one of them said', async () => {
    const { server, shows, type } = await faceOn({ before: underWay })
    const sentinel = { sentinelId: 'narrator', codonId: 'review#0' }
    await shows('I look')
    server.append('sentinel.loaded', {
      ...sentinel,
      model: 'haiku',
      triggerType: 'event',
      executionStrategy: 'immediate',
      conversational: false,
      source: 'inline',
    })
    server.append('sentinel.output', {
      ...sentinel,
      triggerNumber: 1,
      outputType: 'text',
      content: 'All goes well.',
      cost: 0.1,
      tokens: { input: 1, output: 1 },
      eventCount: 3,
    })
    type('4')
    await shows(/▌▶ narrator on review#0 .*1 said/)
    type(keys.enter)
    expect(await shows('All goes well.')).not.toContain('I look')
  })
})

describe('steering', () => {
  const answering = {
    onCommand: (
      command: { readonly id: string; readonly type: string },
      caller: { send: (type: 'info', data: { message: string }, id: string) => void },
    ) => caller.send('info', { message: `did ${command.type}` }, command.id),
  }

  it('asks before it skips, stops or does again, and does so only on y', async () => {
    const { server, shows, type } = await faceOn({ before: underWay, script: answering })
    await shows('I look')
    for (const [key, title, command] of [
      ['s', 'Skip review#0?', 'codon.skip'],
      ['f', 'Stop review#0 at once?', 'codon.forceStop'],
      ['r', 'Do the last codon again?', 'codon.redo'],
    ] as const) {
      type(key)
      await shows(title)
      type('n')
      await shows('I look')
      type(key)
      await shows(title)
      type('y')
      await shows('I look')
      expect(server.commands.map(sent => sent.type)).toContain(command)
    }
    expect(server.commands).toHaveLength(3)
    type('n')
    await shows('starting the next codon')
    expect(server.commands.at(-1)?.type).toBe('codon.next')
  })

  it('goes back to the checkpoint that was chosen, after saying what that undoes', async () => {
    const { server, shows, type } = await faceOn({ before: underWay, script: answering })
    await shows('I look')
    server.append('file.updated', file('review.md', 'x', 'created'))
    type('b')
    await shows(/▌abcdef01 {2}review#0 \(after its rig\)/)
    type(keys.enter)
    const text = await shows('Go back to review#0 (after its rig)?')
    expect(text).toContain('review#0 runs now and would be stopped.')
    expect(text).toContain('Undone: review#0.')
    expect(text).toContain('created review.md')
    type('a')
    await shows('rolling back')
    expect(server.commands.at(-1)).toMatchObject({
      type: 'rollback.toCheckpoint',
      data: { checkpointSha: 'abcdef0123456789', autoRestart: true },
    })
  })

  it('shows why the server refuses', async () => {
    const { shows, type } = await faceOn({
      before: underWay,
      script: {
        onCommand: ({ id }, caller) =>
          caller.send(
            'error',
            { message: 'A codon is running.', fatal: false, code: 'CODON_ALREADY_RUNNING' },
            id,
          ),
      },
    })
    await shows('I look')
    type('n')
    await shows('A codon is running. (CODON_ALREADY_RUNNING)')
  })

  it('only watches when that is all it may, and says so', async () => {
    const { server, shows, type, face } = await faceOn({ before: underWay, mode: 'readonly', ownsRun: false })
    await shows('read-only')
    for (const key of ['n', 's', 'f', 'r', 'b']) {
      type(key)
      await shows(`This screen only watches (read-only): ${key} cannot steer the run.`)
    }
    type('l')
    await shows('review#0 (after its rig)')
    type(keys.enter)
    await shows('it cannot go back')
    type('q')
    await shows('review#0 (after its rig)')
    type('q')
    expect(await face.ended).toEqual({ kind: 'left' })
    expect(server.commands).toEqual([])
  })
})

describe('coming and going', () => {
  it('asks the server to end, says so, and is forced by a second press', async () => {
    const { server, shows, type, face } = await faceOn({ before: underWay })
    await shows('I look')
    type('q')
    await shows('Ending the run in good order; q once more ends it at once.')
    expect(server.commands.map(({ type: sent }) => sent)).toEqual(['server.shutdown'])
    type('\x03')
    expect(await face.ended).toEqual({ kind: 'forced' })
  })

  it('closes the help with q and leaves with Ctrl-C from anywhere', async () => {
    const { server, shows, type } = await faceOn({ before: underWay, ownsRun: true })
    await shows('I look')
    type('?')
    await shows('start the next codon')
    type('q')
    await shows('I look')
    expect(server.commands).toEqual([])
    type('?')
    await shows('start the next codon')
    type('\x03')
    await shows('Ending the run in good order')
    expect(server.commands.map(({ type: sent }) => sent)).toEqual(['server.shutdown'])
  })

  it('takes a paste for no keys', async () => {
    const { server, shows, type } = await faceOn({ before: underWay })
    await shows('I look')
    type('\x1b[200~qqsy\x1b[201~')
    type('2')
    await shows('▌✓ Draft')
    expect(server.commands).toEqual([])
  })

  it('leaves the terminal as it was', async () => {
    const { shows, face, terminal, keyboard } = await faceOn({ before: underWay })
    await shows('I look')
    expect(terminal.terminal.buffer.active.type).toBe('alternate')
    expect(terminal.terminal.modes).toMatchObject({ bracketedPasteMode: true, wraparoundMode: false })
    face.leave()
    await face.ended
    await terminal.settled()
    expect(terminal.terminal.buffer.active.type).toBe('normal')
    expect(terminal.terminal.modes).toMatchObject({ bracketedPasteMode: false, wraparoundMode: true })
    expect(keyboard.modes).toEqual([true, false])
  })

  it('says that the connection is lost, counts down, and goes on where it was', async () => {
    let now = Date.UTC(2026, 0, 1, 0, 1)
    const { server, shows } = await faceOn({ before: underWay, now: () => now })
    await shows('I look')
    server.cut()
    await shows(/Connection lost.*Trying again in 3 s, attempt 1\./)
    now += 2_000
    await shows('Trying again in 1 s')
    server.append('info', { message: 'said meanwhile' })
    await shows('said meanwhile')
  }, 15_000)

  it('shows a journal of many events to its end', async () => {
    const { shows } = await faceOn({
      before(server) {
        underWay(server)
        const from = server.journal.length
        for (let seq = from + 1; seq <= from + 5_000; seq++)
          server.journal.push(sampleEvent('info', { message: `event ${seq}` }, { seq }))
      },
    })
    await shows('event 50')
  })
})

describe('sizes', () => {
  it.each([
    [40, 12],
    [24, 7],
    [80, 24],
    [99, 30],
    [100, 30],
    [200, 50],
  ])('fits %i columns and %i rows, in every panel', async (columns, rows) => {
    const { shows, type, terminal } = await faceOn({ before: underWay, size: { columns, rows } })
    await shows('A hank')
    for (const panel of ['1', '2', '3', '4', '5', '6', '?']) {
      type(panel)
      await terminal.settled()
      expect(terminal.lines()).toHaveLength(rows)
      expect(terminal.lines()[0]).toContain('A hank')
      expect(terminal.lines().at(-1)).toContain('? help')
    }
  })

  it('draws anew when the window changes, without leftovers', async () => {
    const { shows, terminal } = await faceOn({ before: underWay, size: { columns: 160, rows: 40 } })
    await shows('I look')
    terminal.resize({ columns: 44, rows: 14 })
    const narrow = await shows(/^ 1 Stream {2}2 {2}3/m)
    expect(narrow).not.toContain('│')
    terminal.resize({ columns: 120, rows: 20 })
    await shows('│')
    terminal.resize({ columns: 10, rows: 3 })
    await shows('too small')
  })

  it('makes do without colours and without more than ASCII', async () => {
    const { terminal, shows } = await faceOn({
      before: underWay,
      unicode: false,
      size: { columns: 120, rows: 20 },
    })
    const text = await shows('I look')
    expect(text).toMatch(/\+ Draft/)
    expect(text.replace('…', '')).toMatch(/^[\n\x20-\x7e]*$/)
    const { active } = terminal.terminal.buffer
    for (let row = 0; row < 20; row++) {
      for (let column = 0; column < 120; column++) {
        const cell = active.getLine(row)?.getCell(column)
        expect(cell?.isFgDefault() && cell.isBgDefault()).toBe(true)
      }
    }
  })
})

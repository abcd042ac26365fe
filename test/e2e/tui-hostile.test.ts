import { describe, expect, it } from 'vitest'
import { faceOn } from './tui-open-face.ts'

/** What text from outside may try with a terminal. */
const attacks: readonly string[] = [
  [
    '\x1b[2J',
    '\x1b[H',
    '\x1b[999;999H',
    '\x1b[31m',
    '\x1b[7m',
    '\x1b[?1049l',
    '\x1b[?25h',
    '\x1b[?7h',
    '\x1bc',
    '\x1b[!p',
  ],
  [
    '\x1b[?1000h',
    '\x1b[?1006h',
    '\x1b[?2004l',
    '\x1b[?1h',
    '\x1b[4h',
    '\x1b[20h',
    '\x1b[?6h',
    '\x1b[?69h',
    '\x1b[5;10r',
  ],
  [
    '\x1b]0;owned\x07',
    '\x1b]2;owned\x1b\\',
    '\x1b]52;c;b3duZWQ=\x07',
    '\x1b]8;;http://x\x07link\x1b]8;;\x07',
    '\x1b]4;0;#fff\x07',
  ],
  [
    '\x1bP1$r0m\x1b\\',
    '\x1b_G\x1b\\',
    '\x1b^x\x1b\\',
    '\x1bX\x1b\\',
    '\x1b[c',
    '\x1b[>c',
    '\x1b[6n',
    '\x1b[5n',
    '\x1b[18t',
    '\x1b[21t',
  ],
  [
    '\x1b[3J',
    '\x1b[1000A',
    '\x1b[1000D',
    '\x1b[1000C',
    '\x1b[M',
    '\x1b[L',
    '\x1b[P',
    '\x1b[@',
    '\x1b[X',
    '\x1b[S',
    '\x1b[T',
  ],
  [
    '\x1b7',
    '\x1b8',
    '\x1bD',
    '\x1bM',
    '\x1bE',
    '\x1bH',
    '\x1b(0',
    '\x1b)0',
    '\x1b#8',
    '\x1b=',
    '\x1b>',
    '\x1bN',
    '\x1bO',
  ],
  ['\x9b2J', '\x9d0;owned\x9c', '\x90q\x9c', '\x84', '\x85', '\x8d', '\x9c', '\x98x\x9c', '\x9f\x9c', '\x88'],
  [
    '\r',
    '\r\n',
    '\x07',
    '\b\b\b\b',
    '\x7f',
    '\x0b',
    '\x0c',
    '\x0e',
    '\x0f',
    '\x00',
    '\x05',
    '\x11',
    '\x13',
    '\x1a',
    '\x18',
  ],
  [
    '\u200b',
    '\u200d',
    '\u202e',
    '\u202d',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
    '\u200e',
    '\u200f',
    '\ufeff',
    '\u00ad',
    '\u2028',
  ],
  [
    '\u2029',
    '\u061c',
    '\u180e',
    '\u2060',
    '\ufe0f',
    '\u{e0041}',
    '\u{e0001}',
    '\u{e007f}',
    '\ufff9',
    '\ufffb',
    '\ud800',
    '\udc00',
  ],
].flat()

/** Two hundred: each alone, then in the middle of text and cut in halves around other text. */
const payloads = Array.from({ length: 200 }, (_, index) => {
  const attack = attacks[index % attacks.length] ?? ''
  return index < attacks.length
    ? attack
    : `before${attack.slice(0, 1)}${attack.slice(1)}after\n${attack}${attack}`
})

describe('text from outside', () => {
  it('has no effect on the terminal, wherever it comes in', async () => {
    const { server, shows, terminal, type } = await faceOn({ color: true, size: { columns: 120, rows: 40 } })
    await shows('Stream')
    const before = { ...terminal.terminal.modes }
    payloads.forEach((payload, index) => {
      const codonId = `c${payload}`
      const mark = `<${index}>`
      server.append('run.started', {
        runId: `r${payload}`,
        startTime: '2026-01-01T00:00:00.000Z',
        gitBranch: 'b',
        startedFrom: { type: 'fresh' },
        hankName: `hank${payload}`,
        outline: [{ id: codonId, name: `name${payload}`, model: `model${payload}` }],
      })
      server.append('assistant.action', { codonId, action: 'message', content: `${payload}${mark}` })
      server.append('assistant.action', {
        codonId,
        action: 'tool_use',
        content: '',
        toolName: `tool${payload}`,
        toolInput: { command: `${payload}${mark}` },
      })
      server.append('rig.output', { codonId, operation: 0, stream: 'stdout', text: `${payload}${mark}` })
      server.append('error', { message: `${payload}${mark}`, fatal: false })
      server.append('file.updated', {
        path: `p${payload}${index}`,
        filename: 'p',
        content: payload,
        action: 'created',
      })
      server.append('server.idle', { reason: 'startup', message: `idle${payload}${mark}` })
    })
    await shows('<199>')
    for (const keys of [
      'x',
      '2',
      '3',
      '\r',
      '\x1b',
      '4',
      '5',
      '6',
      '1',
      '\x1b[H',
      '/\x1b[200~\x1b]0;x\x07\x1b[201~',
      '\r',
    ]) {
      type(keys)
      await terminal.settled()
      // Everything that is not a row of ours would show: rows that ran over, a title, a bell, an answer.
      expect(terminal.lines()).toHaveLength(40)
      expect(terminal.lines().at(-1)).toMatch(/\? help|\/|Nothing/)
      expect(terminal.lines()[2]).toMatch(/^ 1 Stream {2}2 Plan/)
      expect(terminal.text()).not.toMatch(/[^\P{C}\n]/u)
    }
    expect(terminal.titles).toEqual([])
    expect(terminal.answers).toEqual([])
    expect(terminal.bells()).toBe(0)
    expect({ ...terminal.terminal.modes }).toEqual(before)
    expect(terminal.terminal.buffer.active.type).toBe('alternate')
  })

  it('is spelled out, so that a person sees what came', async () => {
    const { server, shows } = await faceOn()
    await shows('Stream')
    server.append('info', { message: 'a\x1b[2Jb\u202ec' })
    await shows('a\\u{1b}[2Jb\\u{202e}c')
  })

  it('sends nothing but the sequences of the screen', async () => {
    const { server, shows, terminal } = await faceOn({ color: true })
    const sent: string[] = []
    const { write } = terminal.output
    terminal.output.write = text => {
      sent.push(text)
      return write(text)
    }
    await shows('Stream')
    for (const payload of payloads) server.append('info', { message: payload })
    server.append('info', { message: 'the last' })
    await shows('the last')
    const rest = sent.join('').replace(/\x1b\[(?:\d+;1H|\d+G|2K|2J|[\d;]*m|\?2026[hl])/g, '')
    expect(rest).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

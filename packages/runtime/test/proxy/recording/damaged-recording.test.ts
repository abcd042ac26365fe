import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import { claimRecording, openReplay } from '../../../src/proxy/index.ts'
import { ask, recordingProxy, saying, upstreamWith } from './recorded-traffic.ts'

async function threeExchanges(): Promise<{ readonly base: string; readonly directory: string }> {
  const base = await tempDir({ inMemory: true })
  const directory = join(base, 'recording')
  const upstream = await upstreamWith((body, response) => void response.end(JSON.stringify({ body })))
  const recording = await recordingProxy(upstream, directory)
  for (const word of ['one', 'two', 'three']) await ask(recording.url, saying(word))
  await recording.done()
  return { base, directory }
}

describe('a recording', () => {
  it('whose list is cut at any byte has the exchanges before the cut and says that its end is missing', async () => {
    const { base, directory } = await threeExchanges()
    const list = readFileSync(join(directory, 'exchanges.jsonl'))
    const cut = join(base, 'cut')
    cpSync(directory, cut, { recursive: true })
    const ends = [...list.keys()].filter(at => list[at] === 0x0a)
    const isNearEnd = (length: number): boolean => ends.some(end => Math.abs(end - length) <= 2)
    const lengths = [...list.keys()].slice(0, -1).filter(length => isNearEnd(length) || length % 17 === 0)
    for (const length of lengths) {
      writeFileSync(join(cut, 'exchanges.jsonl'), list.subarray(0, length))
      const opened = await openReplay(cut)
      if (!opened.ok) throw new Error(`${length}: ${opened.message}`)
      const { exchanges, isWhole } = opened.replay.recording
      // The line feed itself is not needed: the text before it is whole.
      expect(exchanges.length).toBe(ends.filter(end => end <= length).length)
      expect(isWhole).toBe(false)
    }
    const whole = await openReplay(directory)
    expect(whole.ok && whole.replay.recording.isWhole && whole.replay.recording.exchanges.length).toBe(3)
  })

  it('is refused when a body is missing or shorter, with the turn whose it is', async () => {
    const { base, directory } = await threeExchanges()
    for (const [index, name] of readdirSync(join(directory, 'bodies')).entries()) {
      const damaged = join(base, `damaged-${index}`)
      cpSync(directory, damaged, { recursive: true })
      const file = join(damaged, 'bodies', name)
      if (index % 2 === 0) rmSync(file)
      else truncateSync(file, readFileSync(file).length - 1)
      expect(await openReplay(damaged)).toMatchObject({
        ok: false,
        message: expect.stringMatching(/of codon draft, turn [123] in \S+ is missing or damaged/),
      })
    }
  })

  it('is refused when a line in the middle is damaged or lost, or one stands after the end', async () => {
    const { directory } = await threeExchanges()
    const file = join(directory, 'exchanges.jsonl')
    const lines = readFileSync(file, 'utf8').split('\n')
    const refusal = async (changed: readonly string[]) => {
      writeFileSync(file, changed.join('\n'))
      const opened = await openReplay(directory)
      return opened.ok ? undefined : opened.message
    }
    expect(await refusal(lines.with(1, lines[1]?.slice(3) ?? ''))).toMatch(/line 2 of \S+ is damaged/)
    expect(await refusal(lines.toSpliced(1, 1))).toMatch(/has 2 of 3 exchanges/)
    expect(await refusal([...lines.slice(0, 4), lines[0] ?? '', ''])).toMatch(
      /line 5 of \S+ comes after the end/,
    )
    expect(await refusal(lines.with(0, '{"turn":1}'))).toMatch(/line 1 of \S+ is damaged/)
    const planted = lines[0]?.replace('"headers":{', '"headers":{"x-a":"b\\r\\nx-c: d",') ?? ''
    expect(await refusal(lines.with(0, planted))).toMatch(/line 1 of \S+ is damaged/)
    expect(await refusal(lines)).toBe(undefined)
  })

  it('is refused when it is of another format, or none', async () => {
    const { base, directory } = await threeExchanges()
    expect(await openReplay(join(base, 'missing'))).toMatchObject({ ok: false })
    writeFileSync(join(directory, 'recording.json'), '{"format":"weave-recording","version":2}')
    expect(await openReplay(directory)).toMatchObject({
      ok: false,
      message: 'The recording cannot be used: it has format 2, and this weave reads format 1.',
    })
    writeFileSync(join(directory, 'recording.json'), '{')
    expect(await openReplay(directory)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/does not say/),
    })
  })

  it('is never written over; a directory that was claimed and not used is', async () => {
    const { base, directory } = await threeExchanges()
    const about = { weaveVersion: '0.0.0', unrecorded: [] }
    expect(await claimRecording(directory, about)).toMatchObject({
      ok: false,
      message: `${directory} is not empty.`,
    })
    expect(await claimRecording(join(base, 'x'), about)).toEqual({ ok: true })
    expect(await claimRecording(join(base, 'x'), about)).toEqual({ ok: true })
    writeFileSync(join(base, 'file'), '')
    expect(await claimRecording(join(base, 'file/x'), about)).toMatchObject({ ok: false })
  })
})

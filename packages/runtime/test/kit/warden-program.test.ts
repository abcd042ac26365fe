import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { isAlive, processStartTime, runWarden, start } from '../../src/kit/index.ts'
import { formatList } from '../../src/kit/warden-program.ts'
import { waits } from './fixture.ts'
import { newMarker, startMarked } from './marked.ts'

const nameOf = (pid: number) => ({ pid, startTime: processStartTime(pid) ?? '' })
const input = (text: string) => Readable.from([Buffer.from(text)])

describe('the program of a warden', () => {
  it('ends what is marked and what the last line names, and nobody else', async () => {
    const marker = newMarker()
    const marked = await startMarked(waits, marker)
    const [named, other] = [start('sleep', ['30']), start('sleep', ['30'])]
    await runWarden([marker, formatList([nameOf(named.pid ?? 0)])])
    expect([marked.pid, named.pid ?? 0, other.pid ?? 0].map(isAlive)).toEqual([false, false, true])
    other.kill('enough')
    await Promise.all([marked.done, named.done, other.done])
  })

  it('waits for the end of its input when no line is given, and takes the last whole one', async () => {
    const [early, late, torn] = [start('sleep', ['30']), start('sleep', ['30']), start('sleep', ['30'])]
    const lines = [early, late, torn].map(({ pid = 0 }) => formatList([nameOf(pid)]))
    await runWarden([newMarker()], input(lines.join('\n')))
    expect([early, late, torn].map(({ pid = 0 }) => isAlive(pid))).toEqual([true, false, true])
    for (const { kill } of [early, torn]) kill('enough')
    await Promise.all([early.done, late.done, torn.done])
  })

  it.each<[string, (list: string) => readonly string[]]>([
    ['a farewell on its input', list => [`${list}\nend\n`]],
    ['no marker', list => [`${list}\n`, '']],
    ['a marker without a value', list => [`${list}\n`, 'NAME=']],
  ])('ends nothing after %s', async (_what, told) => {
    const process = start('sleep', ['30'])
    const [text = '', marker = newMarker()] = told(formatList([nameOf(process.pid ?? 0)]))
    await runWarden([marker], input(text))
    expect(isAlive(process.pid ?? 0)).toBe(true)
    process.kill('enough')
    await process.done
  })

  it('takes a broken pipe for the end', async () => {
    const process = start('sleep', ['30'])
    const list = formatList([nameOf(process.pid ?? 0)])
    async function* breaking() {
      yield Buffer.from(`${list}\n`)
      throw new Error('broken')
    }
    await runWarden([newMarker()], breaking())
    expect(isAlive(process.pid ?? 0)).toBe(false)
    await process.done
  })
})

import { expect, onTestFinished, test, vi } from 'vitest'
import { eventWindow, type ServerEvent } from 'weave-client'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { openEvents } from '../../src/dashboard/events-in-sight.ts'
import { session } from '../../src/dashboard/session.ts'
import { filterOf } from '../../src/dashboard/stream-filter.ts'

const event = (seq: number) =>
  ({ seq, id: `evt_${seq}`, timestamp: '', type: 'info', data: { message: '' } }) as ServerEvent

const events = (first: number, last: number): readonly ServerEvent[] =>
  Array.from({ length: last - first + 1 }, (_, at) => event(first + at))

/** A host whose journal grows by a hundred events between two questions: it is always ahead of what is heard live. */
function growingHost(length: number) {
  const host = { length, asked: 0 }
  vi.stubGlobal('fetch', async (address: string) => {
    host.asked++
    host.length += 100
    const { pathname, searchParams } = new URL(address, 'http://host')
    if (pathname.endsWith('/find')) return new Response(new Uint8Array())
    const limit = Number(searchParams.get('limit'))
    const after = searchParams.has('before') ? host.length - limit : Number(searchParams.get('after'))
    const found = events(after + 1, Math.min(after + limit, host.length))
    return Response.json({ events: found, isWhole: true, lastSeq: host.length })
  })
  session.value = { state: 'open', token: 'x', mode: 'readonly' }
  onTestFinished(() => {
    vi.unstubAllGlobals()
    session.value = { state: 'asking' }
  })
  return host
}

verifies(
  ['page/live'],
  'what happens after the page was opened is heard live, and only what was missed is asked for',
  async () => {
    const host = growingHost(900)
    const changed = vi.fn()
    const sight = openEvents(
      { name: 'x', filter: filterOf({}), at: undefined },
      { onChange: changed, onProblem: () => undefined },
    )
    onTestFinished(() => sight.close())
    const { rowCount, isKnown } = eventWindow
    const lookAtEnd = (): void => {
      const rows = rowCount(sight.window())
      sight.look({ first: rows - 30, end: rows })
    }
    await vi.waitFor(() => expect(rowCount(sight.window())).toBe(1_000))
    lookAtEnd()
    // Something was missed while the socket was opened.
    sight.hear(events(1_021, 1_030))
    lookAtEnd()
    await vi.waitFor(() => expect(isKnown(sight.window(), 1_030)).toBe(true))
    const { asked } = host
    expect(asked).toBeLessThanOrEqual(3)
    for (let last = 1_130; last <= 3_030; last += 100) {
      sight.hear(events(last - 99, last))
      lookAtEnd()
      await new Promise(resolve => setImmediate(resolve))
      expect(rowCount(sight.window())).toBe(last)
      expect(isKnown(sight.window(), last)).toBe(true)
    }
    expect(host.asked).toBe(asked)
  },
)

test('what a filter does not let through is no reason to draw', async () => {
  growingHost(900)
  const changed = vi.fn()
  const sight = openEvents(
    { name: 'x', filter: filterOf({ type: 'error' }), at: undefined },
    { onChange: changed, onProblem: () => undefined },
  )
  onTestFinished(() => sight.close())
  await vi.waitFor(() => expect(sight.window().found?.isComplete).toBe(true))
  changed.mockClear()
  for (let last = 1_200; last <= 2_000; last += 100) sight.hear(events(last - 99, last))
  expect(changed).not.toHaveBeenCalled()
  expect(sight.window().lastSeq).toBe(2_000)
  sight.hear([{ ...event(2_001), type: 'error' } as ServerEvent])
  expect(changed).toHaveBeenCalledOnce()
  expect(eventWindow.rowCount(sight.window())).toBe(1)
})

/** A host in which every tenth event fits, and which notes from where it was asked to seek. */
function seekingHost() {
  const host = { length: 100, soughtAfter: [] as number[] }
  vi.stubGlobal('fetch', async (address: string) => {
    const { pathname, searchParams } = new URL(address, 'http://host')
    const after = Number(searchParams.get('after') ?? 0)
    if (!pathname.endsWith('/find'))
      return Response.json({ events: events(after + 1, after + 1), isWhole: true, lastSeq: host.length })
    host.soughtAfter.push(after)
    const seqs = Array.from({ length: host.length }, (_, at) => at + 1).filter(
      seq => seq > after && seq % 10 === 0,
    )
    const headers = { 'weave-sought-to': String(host.length) }
    return new Response(new Uint8Array(new Uint32Array(seqs).buffer), { headers })
  })
  session.value = { state: 'open', token: 'x', mode: 'readonly' }
  onTestFinished(() => {
    vi.unstubAllGlobals()
    session.value = { state: 'asking' }
  })
  return host
}

test('what fits a filter and was not heard is sought again, from where the last word was', async () => {
  const host = seekingHost()
  const sight = openEvents(
    { name: 'x', filter: filterOf({ q: 'ten' }), at: undefined },
    { onChange: () => undefined, onProblem: () => undefined },
  )
  onTestFinished(() => sight.close())
  const ten = (seq: number) => ({ ...event(seq), data: { message: 'ten' } }) as ServerEvent
  const found = () => [...(sight.window().found?.seqs ?? [])]
  const tens = (last: number) => Array.from({ length: last / 10 }, (_, at) => 10 * (at + 1))
  await vi.waitFor(() => expect(found()).toEqual(tens(100)))
  // Until the server sends what fits, some of it is missed.
  host.length = 130
  sight.hearing(true)
  sight.hear([ten(140)])
  await vi.waitFor(() => expect(found()).toEqual(tens(140)))
  sight.hear([ten(150), event(157)])
  sight.hearing(false)
  sight.hear([event(185)])
  host.length = 200
  sight.hearing(true)
  await vi.waitFor(() => expect(found()).toEqual(tens(200)))
  expect(host.soughtAfter).toEqual([0, 100, 157])
})

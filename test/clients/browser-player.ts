import type { Page } from 'playwright-core'
import type { Observation, Scenario } from './scenario.ts'

/**
 * Lives through a scenario inside a web page, with the WebSocket of its browser. The page is one of the server itself, since the
 * server refuses those of others.
 */
export async function playInPage(page: Page, scenario: Scenario): Promise<readonly Observation[]> {
  const seen = await page.evaluate<unknown>(`(${player})(${JSON.stringify(scenario)})`)
  return seen as readonly Observation[]
}

/** Plain words of a browser: nothing of the test is there. */
const player = `async ({ steps, chronicle }) => {
  const seen = [], kept = {}, open = {}
  const look = (value, [key, ...rest]) =>
    key === undefined ? value
      : key === '*' ? value.map(item => look(item, rest))
      : value == null ? undefined : look(value[key], rest)
  const field = (event, path) => look(event.data, path.split('.'))
  const filled = data => Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) =>
    [key, String(value).startsWith('$') ? kept[value.slice(1)] : value]))

  const connect = () => new Promise((resolve, reject) => {
    const socket = new WebSocket('ws://' + location.host)
    const events = []
    let at = 0
    let wake = () => {}
    const closed = new Promise(done => { socket.onclose = ({ code }) => { done(code); wake() } })
    socket.onmessage = ({ data }) => { events.push(JSON.parse(data)); wake() }
    socket.onerror = () => reject(new Error('no WebSocket'))
    const next = async fits => {
      for (;;) {
        while (at < events.length) if (fits(events[at++])) return events[at - 1]
        if (socket.readyState !== WebSocket.OPEN) throw new Error('the connection ended too early')
        await new Promise(resolve => { wake = resolve })
      }
    }
    const say = message => socket.send(JSON.stringify(message))
    socket.onopen = () => resolve({ events, next, say, closed })
  })

  const acts = {
    async open({ who, handshake, note }) {
      const { say, next } = open[who] = await connect()
      say({ type: 'handshake', data: handshake })
      const response = await next(() => true)
      seen.push([who, response.type, ...note.map(path => field(response, path))])
      seen.push([who, (await next(() => true)).type])
    },
    async send({ who, id, type, data }) {
      open[who].say({ id, type, ...(data && { data: filled(data) }) })
    },
    async await({ who, type, where = {}, note, keep = {} }) {
      const fits = event =>
        event.type === type && Object.entries(where).every(([path, value]) => field(event, path) === value)
      const event = await open[who].next(fits)
      for (const [name, path] of Object.entries(keep)) kept[name] = field(event, path)
      seen.push([who, type, ...note.map(path => field(event, path)), event.commandId ?? null])
    },
    async history({ who, id }) {
      const { events, next, say } = open[who]
      say({ id, type: 'history.sync' })
      const past = []
      for (let batch; !batch || batch.data.hasMore; past.push(...batch.data.events))
        batch = await next(event => event.commandId === id)
      const ids = new Set(past.map(event => event.id))
      const heard = events.filter(({ seq }) => seq <= past.length)
      seen.push([who, 'history', past.every(({ seq }, at) => seq === at + 1), heard.every(({ id }) => ids.has(id)),
        past.filter(({ type }) => chronicle.includes(type)).length])
    },
    async chronicle({ who }) {
      const { events } = open[who]
      const seqs = events.flatMap(({ seq }) => seq ?? [])
      seen.push([who, 'chronicle', seqs.every((seq, at) => seq > (seqs[at - 1] ?? 0)),
        events.map(({ type }) => type).filter(type => chronicle.includes(type))])
    },
    async closed({ who }) {
      seen.push([who, 'closed', await open[who].closed])
    },
  }
  for (const step of steps) await acts[step.do](step)
  return seen
}`

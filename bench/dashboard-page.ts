import type { CDPSession, Page } from 'playwright-core'

/** What can be measured in a page of the dashboard, from the place of a person. Times are in milliseconds. */

const rows = (condition: string): string =>
  `(() => { const rows = [...document.querySelectorAll('.stream-list .event')];
    return rows.length > 10 && rows.every(row => ${condition}) })()`

/** Waits in the page, frame by frame, and says how long it took. */
async function timed(page: Page, act: string, isDone: string): Promise<number> {
  return (await page.evaluate(`(async () => {
    const begun = performance.now()
    ${act}
    do await new Promise(resolve => requestAnimationFrame(resolve))
    while (!(${isDone}) && performance.now() - begun < 60000)
    return performance.now() - begun
  })()`)) as number
}

/** From the address to rows with a text, and to the first picture. */
export async function opened(page: Page, link: string) {
  await page.goto(link)
  await timed(page, '', 'globalThis.filledAt !== undefined')
  const [filled, picture] = (await page.evaluate(
    `[globalThis.filledAt, performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0]`,
  )) as [number, number]
  return { filled, picture }
}

/** Anywhere, by the scrollbar, so often; sorted. */
export async function jumps(page: Page, count: number): Promise<readonly number[]> {
  const times: number[] = []
  const jump = `const list = document.querySelector('.stream-list [role=table]')
    list.scrollTop = Math.random() * (list.scrollHeight - list.clientHeight)`
  for (let at = 0; at < count; at++)
    times.push(await timed(page, jump, rows(`row.dataset.kind !== 'pending'`)))
  return times.sort((a, b) => a - b)
}

const isDone = `!/searching/.test(document.querySelector('.row-count').textContent)`

export async function findType(page: Page): Promise<{ readonly first: number; readonly all: number }> {
  const begun = performance.now()
  const choose = `const type = document.querySelector('#type')
    type.value = 'tool.result'
    type.dispatchEvent(new Event('change', { bubbles: true }))`
  const first = await timed(page, choose, rows(`row.dataset.kind === 'result'`))
  await timed(page, '', isDone)
  return { first, all: performance.now() - begun }
}

export async function findText(page: Page, text: string): Promise<number> {
  const begun = performance.now()
  const type = `const search = document.querySelector('#search')
    search.value = ${JSON.stringify(text)}
    search.dispatchEvent(new Event('input', { bubbles: true }))`
  await timed(
    page,
    type,
    `location.search.includes('q=') && /searching/.test(document.querySelector('.row-count').textContent)`,
  )
  await timed(page, '', isDone)
  return performance.now() - begun
}

/** What the page holds, after everything that nobody needs is gone. */
export async function sizes(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('HeapProfiler.collectGarbage')
  return {
    heap: await metric(cdp, 'JSHeapUsedSize'),
    nodes: await page.evaluate<number>(`document.querySelectorAll('*').length`),
  }
}

/** Seconds in which the main thread of the page was at work until now. */
export async function busyCounter(page: Page): Promise<() => Promise<number>> {
  const cdp = await page.context().newCDPSession(page)
  return () => metric(cdp, 'TaskDuration')
}

async function metric(cdp: CDPSession, name: string): Promise<number> {
  await cdp.send('Performance.enable')
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(each => each.name === name)?.value ?? Number.NaN
}

/** The newest event in sight, noted every so often together with the time. */
export async function watchNewest(
  page: Page,
): Promise<() => Promise<readonly (readonly [number, number])[]>> {
  await page.evaluate(`globalThis.seen = []
    setInterval(() => {
      const last = [...document.querySelectorAll('.stream-list .event')].at(-1)
      globalThis.seen.push([Date.now(), Number(last?.dataset.seq ?? 0)])
    }, 100)`)
  return async () => page.evaluate<readonly (readonly [number, number])[]>('globalThis.seen')
}

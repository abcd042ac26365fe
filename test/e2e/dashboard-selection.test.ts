import { basename } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { sharedBrowser } from '../clients/chromium.ts'
import { verifies } from '../conformance/verifies.ts'
import { bash, hankFolder, lightAgents, lightCodon } from '../support/hank-folder.ts'
import { startWebPages } from '../support/web-page.ts'

const browser = sharedBrowser()

/** A codon that says a word every third of a second, among others that nobody looks for. */
const said = 24
const talking = () =>
  hankFolder([lightCodon('talk'), lightCodon('end')], {
    'weave.json': { ...lightAgents, gates: [{ id: 'ok', before: 'end', message: 'Go on?' }] },
    'rehearsal.json': {
      codons: {
        talk: Array.from({ length: said }, (_, at) =>
          bash(`echo ${at % 4 === 0 ? 'needle' : 'straw'} ${at}`, { wait: 300 }),
        ),
      },
    },
  })

/** What came over the socket of a page, as types. */
function heardBy(page: Page): string[] {
  const heard: string[] = []
  page.on('websocket', socket =>
    socket.on('framereceived', ({ payload }) => {
      for (const message of [JSON.parse(String(payload)) as unknown].flat() as { readonly type: string }[])
        heard.push(message.type)
    }),
  )
  return heard
}

const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} })
    document.dispatchEvent(new Event('visibilitychange'))`)

verifies(
  ['page/live', 'page/filter'],
  'is sent what it shows: all of it live, also what came while nobody saw the page, and hears of a gate on any panel',
  async () => {
    const at = await talking()
    const pages = await startWebPages(at, await browser())
    const page = await pages.open('/')
    const run = at.start('rehearse', '--keep-alive')
    await run.until('Clients ')
    const name = basename(at.execution())
    const heard = heardBy(page)
    await page.goto(`${pages.origin}/e/${name}/stream?q=needle&type=tool.result`)
    await expect.poll(() => heard, { timeout: 30_000 }).toContain('events.selected')
    const rows = page.locator('.stream-list .event')
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBeGreaterThan(1)
    const shown = await rows.count()
    await setHidden(page, true)
    await expect.poll(() => heard.filter(type => type === 'events.selected').length).toBe(2)
    const before = heard.length
    await expect.poll(() => at.events('tool.result').length, { timeout: 60_000 }).toBe(said - 3)
    const results = heard.slice(before).filter(type => type === 'tool.result').length
    // One a second at most tells how far the journal is; there were three times as many.
    expect(results).toBeLessThanOrEqual(8)
    expect(await rows.count()).toBe(shown)
    await setHidden(page, false)
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(said / 4)
    // A panel without a stream hears of the gate all the same.
    await page.goto(`${pages.origin}/e/${name}/costs`)
    await page.getByRole('button', { name: 'Approve', exact: true }).first().click({ timeout: 60_000 })
    await expect.poll(() => at.events('gate.decided').length, { timeout: 30_000 }).toBe(1)
    expect(pages.complaints).toEqual([])
  },
  120_000,
)

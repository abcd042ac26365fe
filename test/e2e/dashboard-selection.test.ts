import { basename } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { sharedBrowser } from '../clients/chromium.ts'
import { verifies } from '../conformance/verifies.ts'
import { bash, hankFolder, lightAgents, lightCodon } from '../support/hank-folder.ts'
import { startWebPages } from '../support/web-page.ts'

const browser = sharedBrowser()

const files = 200
const needles = (from: number) => [0, 1, 2].map(at => bash(`echo needle ${from + at}`))

/** A run that waits twice; between the gates much happens that a search does not show. */
const talking = () =>
  hankFolder(
    [lightCodon('talk'), lightCodon('burst', { checkpointedFiles: ['straw-*'] }), lightCodon('end')],
    {
      'weave.json': {
        ...lightAgents,
        gates: [
          { id: 'first', before: 'burst', message: 'Go on?' },
          { id: 'second', before: 'end', message: 'Go on?' },
        ],
      },
      'rehearsal.json': {
        codons: {
          talk: needles(1),
          burst: [bash(`for at in $(seq ${files}); do echo $at > straw-$at; done`), ...needles(4)],
        },
      },
    },
  )

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
    const waits = (times: number) =>
      expect.poll(() => at.events('gate.waiting').length, { timeout: 60_000 }).toBe(times)
    await waits(1)
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(3)
    await setHidden(page, true)
    await expect.poll(() => heard.filter(type => type === 'events.selected').length).toBe(2)
    const before = heard.length
    expect(at.weave('gate', 'approve').status).toBe(0)
    await waits(2)
    expect(at.events('file.updated').length).toBeGreaterThanOrEqual(files)
    await expect.poll(() => heard.filter(type => type === 'gate.waiting').length).toBeGreaterThan(0)
    const strange = heard.slice(before).filter(type => type === 'file.updated' || type === 'tool.result')
    // One a second at most tells how far the journal is.
    expect(strange.length).toBeLessThan(files / 4)
    expect(await rows.count()).toBe(3)
    await setHidden(page, false)
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(6)
    // A panel without a stream hears of the gate all the same.
    await page.goto(`${pages.origin}/e/${name}/costs`)
    await page.getByRole('button', { name: 'Approve', exact: true }).first().click({ timeout: 60_000 })
    await expect.poll(() => at.events('gate.decided').length, { timeout: 30_000 }).toBe(2)
    expect(pages.complaints).toEqual([])
  },
  180_000,
)

import { basename } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { sharedBrowser } from '../clients/chromium.ts'
import { verifies } from '../conformance/verifies.ts'
import { bash, lightCodon as codon, hankFolder, lightAgents } from '../support/hank-folder.ts'
import { startWebPages } from '../support/web-page.ts'

const browser = sharedBrowser()

describe('the key and the session of a page', () => {
  verifies(
    ['web/no-trace', 'page/session'],
    'are in no address that is asked for, in no Referer and in no entry of the history, also of a live run',
    async () => {
      const at = await hankFolder([codon('plan')], {
        'weave.json': lightAgents,
        'rehearsal.json': { codons: { plan: [bash('echo one'), { say: 'Planned.', wait: 60_000 }] } },
      })
      const run = at.start('rehearse', '--keep-alive')
      await run.until('Clients ')
      const name = basename(at.execution())
      const pages = await startWebPages(at, await browser())
      const link = await pages.link(`/e/${name}`, name)
      const page = await (await browser()).newPage()
      const asked: string[] = []
      const referers: (string | undefined)[] = []
      page.on('websocket', socket => void asked.push(socket.url()))
      page.on('request', request => {
        // What follows the # is not sent.
        asked.push(request.url().split('#', 1)[0] ?? '')
        referers.push(request.headers()['referer'])
      })
      await page.goto(link)
      await page.getByText('live', { exact: true }).waitFor({ timeout: 60_000 })
      await page.getByRole('link', { name: 'Checkpoints' }).first().click()
      await page.getByRole('link', { name: 'Stream' }).first().click()
      await page.locator('.event').first().click()
      await page.getByRole('heading', { name: /^Event/ }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name: /^Event/ }).waitFor()

      const kept: unknown = JSON.parse(String(await page.evaluate(`sessionStorage.getItem('weave-session')`)))
      const secrets = [link.split('#key=')[1] ?? '', (kept as { readonly session: string }).session]
      expect(secrets.map(({ length }) => length)).toEqual([43, 43])
      const places = [...asked, ...(await historyOf(page)), page.url()]
      expect(asked.some(url => url.endsWith(`/e/${name}/socket`))).toBe(true)
      for (const secret of secrets) expect(places.filter(url => url.includes(secret))).toEqual([])
      expect(referers.filter(Boolean)).toEqual([])
      expect(run.said()).not.toContain(secrets[1])
    },
    180_000,
  )
})

async function historyOf(page: Page): Promise<readonly string[]> {
  const cdp = await page.context().newCDPSession(page)
  const { entries } = await cdp.send('Page.getNavigationHistory')
  return entries.map(({ url }) => url)
}

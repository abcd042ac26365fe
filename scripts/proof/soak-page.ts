import { barePage, startBrowser } from '../../bench/dashboard-stage.ts'

/** A page of the dashboard that stays open, by a link that is good once. */
export async function openSoakPage(link: string) {
  const browser = await startBrowser()
  const page = await barePage(browser)
  const faults: string[] = []
  page.on('pageerror', error => void faults.push(`the page: ${String(error)}`))
  page.on('crash', () => void faults.push('the page crashed'))
  await page.goto(link)
  await page.locator('main:not(.lone)').waitFor()
  return {
    faults,
    /** The stream of an execution; rows must come. */
    async show(name: string): Promise<void> {
      await page.goto(new URL(`/e/${name}/stream`, page.url()).href)
      await page.locator('.stream-list .event').first().waitFor({ timeout: 120_000 })
    },
    close: () => browser.close(),
  }
}

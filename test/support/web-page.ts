import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { panels } from '../../packages/web/src/dashboard/routes.ts'
import type { HankFolder } from './hank-folder.ts'

/** A hub of the built command, and pages of it in a real browser. */
export interface WebPages {
  readonly origin: string
  /** Good once. */
  readonly link: (path: string, execution?: string) => Promise<string>
  /** What went wrong or was asked of anybody else, on any page. */
  readonly complaints: readonly string[]
  readonly open: (path: string, options?: PageOptions) => Promise<Page>
}

export interface PageOptions {
  readonly execution?: string
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  /** A phone: fingers in place of a pointer. */
  readonly isTouched?: boolean
}

/** Every page and panel, of one execution. */
export function dashboardPaths(name: string): readonly string[] {
  return [
    '/',
    ...panels.map(panel => `/e/${name}/${panel}${panel === 'stream' ? '?at=5' : ''}`),
    `/compare?a=${name}&b=${name}`,
  ]
}

/** The source list names an address that Chromium does not read; it says so and goes on. */
const known = /contains an invalid source: 'ws:\/\/\[::1\]/

export async function startWebPages(
  at: HankFolder,
  browser: Browser,
  words: readonly string[] = [],
): Promise<WebPages> {
  const run = at.start('web', '--no-open', '--port', '0', ...words)
  await run.until('It ends with')
  const record = JSON.parse(readFileSync(join(at.env['HOME'] ?? '', '.weave/web.json'), 'utf8')) as {
    readonly port: number
    readonly ownerKey: string
  }
  const origin = `http://127.0.0.1:${record.port}`
  const complaints: string[] = []
  const link = async (path: string, execution?: string): Promise<string> => {
    const headers = { authorization: `Bearer ${record.ownerKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify(execution === undefined ? {} : { execution })
    const answer = await fetch(`${origin}/api/links`, { method: 'POST', headers, body })
    const { url } = (await answer.json()) as { readonly url: string }
    return `${origin}${path}#${url.split('#')[1] ?? ''}`
  }
  const open: WebPages['open'] = async (path, options = {}) => {
    const { width = 1280, colorScheme = 'light', isTouched = false, execution } = options
    const viewport = { width, height: isTouched ? 720 : 900 }
    const context = await browser.newContext({
      viewport,
      colorScheme,
      hasTouch: isTouched,
      isMobile: isTouched,
    })
    const page = await context.newPage()
    hearFaults(page, origin, complaints)
    await page.goto(await link(path, execution))
    // Whoever goes elsewhere before the key was traded loses it.
    await page.locator('main:not(.lone)').waitFor({ timeout: 90_000 })
    return page
  }
  return { origin, link, complaints, open }
}

/** Hears everything that a page should not do. */
export function hearFaults(page: Page, origin: string, complaints: string[]): void {
  page.on('console', message => {
    if (message.type() === 'error' && !known.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', error => void complaints.push(String(error)))
  page.on('request', request => {
    if (!request.url().startsWith(origin)) complaints.push(`asked for ${request.url()}`)
  })
}

export async function cookiesOf(context: BrowserContext): Promise<number> {
  return (await context.cookies()).length
}

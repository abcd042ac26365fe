import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chromium } from 'playwright-core'

/**
 * @typedef {object} Stage
 * @property {string} weave The built command.
 * @property {string} folder The home of everything.
 * @property {NodeJS.ProcessEnv} env
 * @property {string} places Where pictures go.
 */

/** @typedef {{ name: string, path: string, colorScheme: 'light' | 'dark', width: number, height: number, shows: string }} Shot */

/**
 * Four pictures of the dashboard of a real rehearsal that waits at a gate. `hank` is its folder.
 *
 * @param {Stage} stage
 * @param {string} hank
 */
export async function picturesOfDashboard(stage, hank) {
  const run = begin(stage, ['rehearse', hank, '--headless', '--keep-alive'])
  const hub = begin(stage, ['web', '--no-open', '--port', '0'])
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    await run.says('waiting at gate')
    await hub.says('It ends with')
    const { port, ownerKey } = JSON.parse(readFileSync(join(stage.folder, '.weave/web.json'), 'utf8'))
    const origin = `http://127.0.0.1:${port}`
    const link = async () => {
      const headers = { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json' }
      const answer = await fetch(`${origin}/api/links`, { method: 'POST', headers, body: '{}' })
      const { url } = /** @type {{ url: string }} */ (await answer.json())
      return url.split('#')[1]
    }
    for (const shot of shots) {
      const { name, path, shows, colorScheme, width, height } = shot
      const viewport = { width, height }
      const isPhone = width < 640
      const context = await browser.newContext({
        viewport,
        colorScheme,
        isMobile: isPhone,
        deviceScaleFactor: 1.5,
      })
      const page = await context.newPage()
      await page.goto(`${origin}/#${await link()}`)
      await page.locator('.execution-table a').first().click()
      await page.locator('.event').first().waitFor()
      const [, execution] = /\/e\/([^/]+)/.exec(page.url()) ?? []
      await page.goto(`${origin}/e/${execution}${path}`)
      await page.locator(shows).first().waitFor()
      await setTimeout(1_500)
      const { data } = await (await context.newCDPSession(page)).send('Page.captureScreenshot', {
        format: 'webp',
        quality: 80,
      })
      writeFileSync(join(stage.places, `dashboard-${name}.webp`), Buffer.from(data, 'base64'))
      await context.close()
    }
  } finally {
    await browser.close()
    await run.end()
    await hub.end()
  }
}

/** @type {readonly Shot[]} */
const shots = [
  {
    name: 'budgets',
    path: '/budgets',
    colorScheme: 'light',
    width: 1240,
    height: 900,
    shows: '.plot canvas',
  },
  { name: 'timeline', path: '/timeline', colorScheme: 'dark', width: 1240, height: 640, shows: '.bar' },
  { name: 'files', path: '/files', colorScheme: 'light', width: 1240, height: 700, shows: '.diff' },
  { name: 'phone', path: '/stream', colorScheme: 'dark', width: 390, height: 780, shows: '.gate-card' },
]

/** @param {Stage} stage @param {string[]} words */
function begin({ weave, folder, env }, words) {
  const child = spawn(process.execPath, [weave, ...words], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const hear = (/** @type {Buffer} */ part) => {
    said += String(part)
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', hear)
  const ended = new Promise(resolve => child.once('exit', resolve))
  return {
    /** @param {string} text */
    async says(text) {
      for (const end = Date.now() + 90_000; !said.includes(text); await setTimeout(100))
        if (Date.now() > end) throw new Error(`It does not say ${text}:\n${said}`)
    },
    async end() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

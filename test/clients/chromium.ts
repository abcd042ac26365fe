import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll } from 'vitest'

const executablePath = '/usr/bin/chromium'

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser without a window and with a profile of its own, shared by the tests of a file and gone after the last. */
export function sharedBrowser(): () => Promise<Browser> {
  let started: Promise<Browser> | undefined
  afterAll(async () => (await started)?.close())
  return () => {
    started ??= start()
    return started
  }
}

async function start(): Promise<Browser> {
  if (!existsSync(executablePath)) throw new Error('This test needs a browser: apt-get install chromium')
  return chromium.launch({ executablePath, args: quiet, headless: true })
}

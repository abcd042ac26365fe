import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { bundleServe } from './serve-program.ts'

/** A server in another process. */
export interface Served {
  readonly port: number
  /** Memory when it had just started. */
  readonly rss: number
  append(events: number, bytes: number, perTick: number): Promise<Report>
}

export interface Report {
  readonly lastSeq: number
  readonly rss: number
  /** The most it was since the last report. */
  readonly peak: number
  readonly clients: number
}

export async function serve(): Promise<Served> {
  const dir = await tempDir({ inMemory: true })
  await bundleServe(join(dir, 'serve.mjs'))
  const child: ChildProcess = fork(join(dir, 'serve.mjs'), [join(dir, 'journal')], { execArgv: [] })
  onTestFinished(async () => {
    child.disconnect()
    await once(child, 'exit')
  })
  const answer = async (): Promise<unknown> => (await once(child, 'message'))[0] as unknown
  const { port, rss } = (await answer()) as { readonly port: number; readonly rss: number }
  return {
    port,
    rss,
    async append(events, bytes, perTick) {
      const done = answer()
      child.send({ append: events, bytes, perTick })
      return (await done) as Report
    },
  }
}

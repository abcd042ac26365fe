import { onTestFinished } from 'vitest'
import { type MemoryLog, memoryLog } from '../../../../test/support/memory-log.ts'
import { systemClock } from '../../src/kit/index.ts'
import { type ProxyOptions, type RunningProxy, startProxy } from '../../src/proxy/index.ts'

export type TestProxy = RunningProxy & { readonly log: MemoryLog; lines(): readonly string[] }

/** A proxy on whichever port is free, closed when the test ends. */
export async function startedProxy(
  upstream: string,
  options: Partial<ProxyOptions> = {},
): Promise<TestProxy> {
  const log = memoryLog()
  const started = await startProxy({
    port: 0,
    upstream,
    log,
    logLevel: 'info',
    clock: systemClock,
    redact: text => text,
    environment: {},
    allowOtherUsers: false,
    ...options,
  })
  if (!started.ok) throw new Error(started.message)
  const { proxy } = started
  onTestFinished(() => proxy.close())
  return {
    ...proxy,
    log,
    lines: () => log.entries.map(({ level, tag, message }) => `${level} [${tag}] ${message}`),
  }
}

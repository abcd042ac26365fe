import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { layerOf } from '../../src/settings/fields.ts'
import { resolveSettings } from '../../src/settings/resolve.ts'
import { runtimeFile } from '../../src/settings/schema.ts'

describe('the key web', () => {
  verifies(['web/settings'], 'takes enabled, port and readonly, and nothing else', () => {
    const whole = { enabled: true, port: 0, readonly: true }
    expect(runtimeFile.safeParse({ web: whole }).success).toBe(true)
    for (const web of [{ enabled: 1 }, { port: 65_536 }, { port: '7788' }, { host: '0.0.0.0' }, true])
      expect(runtimeFile.safeParse({ web }).success).toBe(false)
    expect(resolveSettings({}).settings.web).toEqual({ enabled: false, port: 7788, readonly: false })
    const file = layerOf({ web: whole }, 'weave.json')
    const flags = layerOf({ web: { port: 7000 } }, '--port')
    expect(resolveSettings({ file, flags }).settings.web).toEqual({ ...whole, port: 7000 })
  })
})

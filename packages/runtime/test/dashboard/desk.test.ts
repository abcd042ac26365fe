import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createDesk, lifetimes } from '../../src/dashboard/desk.ts'

function desk(readonly = false) {
  const clock = createTestClock()
  return { clock, desk: createDesk({ clock, readonly, ownerKey: 'owner' }) }
}

describe('a desk', () => {
  verifies(['web/keys'], 'sells one session for a key, in time and once', async () => {
    const at = desk()
    const { key, expiresAt } = at.desk.makeKey('opened')
    expect(key).toMatch(/^[\w-]{43}$/)
    expect(Date.parse(expiresAt) - at.clock.now().getTime()).toBe(60_000)
    expect(at.desk.trade(key)).toMatchObject({ ok: true, made: { mode: 'readandwrite' } })
    expect(at.desk.trade(key)).toEqual({ ok: false, code: 'KEY_USED' })
    const [short, long] = [at.desk.makeKey('opened').key, at.desk.makeKey('printed').key]
    await at.clock.advance(lifetimes.opened)
    expect(at.desk.trade(short)).toEqual({ ok: false, code: 'KEY_UNKNOWN' })
    await at.clock.advance(lifetimes.printed - lifetimes.opened - 1)
    expect(at.desk.trade(long)).toMatchObject({ ok: true })
  })

  verifies(['web/keys'], 'closes for a minute after ten wrong keys in a minute', async () => {
    const at = desk()
    const { key } = at.desk.makeKey('printed')
    const codes = Array.from({ length: 10 }, (_, turn) => at.desk.trade(`wrong ${turn}`))
    expect(codes.map(traded => !traded.ok && traded.code)).toEqual([
      ...Array.from({ length: 9 }, () => 'KEY_UNKNOWN'),
      'TOO_MANY_KEYS',
    ])
    expect(at.desk.trade(key)).toEqual({ ok: false, code: 'TOO_MANY_KEYS' })
    await at.clock.advance(60_000)
    expect(at.desk.trade(key)).toMatchObject({ ok: true })
  })

  it('does not close for wrong keys that come slowly', async () => {
    const at = desk()
    for (let turn = 0; turn < 30; turn++) {
      expect(at.desk.trade('wrong')).toEqual({ ok: false, code: 'KEY_UNKNOWN' })
      await at.clock.advance(7_000)
    }
  })

  verifies(
    ['web/sessions'],
    'ends a session 12 hours after its last use, whatever the wall clock does',
    async () => {
      const at = desk(true)
      const traded = at.desk.trade(at.desk.makeKey('opened').key)
      const session = traded.ok ? traded.made.session : ''
      await at.clock.advance(lifetimes.session - 1)
      expect(at.desk.modeOf(session)).toBe('readonly')
      at.clock.jumpWall(100 * lifetimes.session)
      await at.clock.advance(lifetimes.session - 1)
      expect(at.desk.modeOf(session)).toBe('readonly')
      await at.clock.advance(lifetimes.session)
      expect(at.desk.modeOf(session)).toBeUndefined()
      expect(at.desk.modeOf(undefined)).toBeUndefined()
      expect(at.desk.modeOf('')).toBeUndefined()
    },
  )

  it('knows its owner, and without an owner nobody', () => {
    expect(desk().desk.isOwner('owner')).toBe(true)
    expect(desk().desk.isOwner('other')).toBe(false)
    expect(createDesk({ clock: createTestClock(), readonly: false }).isOwner('')).toBe(false)
  })
})

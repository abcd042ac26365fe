import { describe, expect, test } from 'vitest'
import { grouped } from '../../src/dashboard/grouped.ts'
import { bothZones, momentText } from '../../src/dashboard/moments.ts'
import { preferences } from '../../src/dashboard/preferences.ts'

describe('times and numbers for people', () => {
  test('are written as the formats of a browser write them', () => {
    const moments = ['2026-01-02T03:04:05.006Z', '2026-07-31T23:59:59.999Z', '1999-12-31T12:00:00.000Z']
    for (const zone of ['utc', 'local'] as const) {
      preferences.zone.value = zone
      for (const moment of moments) {
        const format = (shape: Intl.DateTimeFormatOptions): string =>
          new Intl.DateTimeFormat('en-GB', {
            ...shape,
            ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
          }).format(new Date(moment))
        const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
        const day = { year: 'numeric', month: 'short', day: '2-digit' } as const
        expect(momentText(moment, 'time')).toBe(format(clock))
        expect(momentText(moment, 'fine')).toBe(format({ ...clock, fractionalSecondDigits: 3 }))
        expect(momentText(moment, 'date-time')).toBe(format({ ...day, hour: '2-digit', minute: '2-digit' }))
      }
    }
    for (const count of [0, 7, 999, 1_000, 1_234_567, 1_234.5, -12_345])
      expect(grouped(count)).toBe(count.toLocaleString('en'))
  })

  test('say both zones, and leave alone what is no time', () => {
    expect(bothZones('2026-01-02T03:04:05.006Z')).toMatch(/UTC[+-]\d+(?::\d\d)?, 02 Jan 2026, 03:04:05 UTC$/)
    expect(bothZones('soon')).toBe('soon')
    expect(momentText('soon', 'time')).toBe('soon')
  })
})

import { describe, expect, test } from 'vitest'
import { grouped } from '../../src/dashboard/grouped.ts'
import { offsetText, wallText } from '../../src/dashboard/wall-clock.ts'

describe('times and numbers for people', () => {
  test('are written as the formats of a browser write them', () => {
    const moments = ['2026-01-02T03:04:05.006Z', '2026-07-31T23:59:59.999Z', '1999-12-31T12:00:00.000Z']
    for (const zone of ['utc', 'local'] as const) {
      for (const date of moments.map(text => new Date(text))) {
        const format = (shape: Intl.DateTimeFormatOptions): string =>
          new Intl.DateTimeFormat('en-GB', {
            ...shape,
            ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
          }).format(date)
        const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
        const day = { year: 'numeric', month: 'short', day: '2-digit' } as const
        expect(wallText(date, 'time', zone)).toBe(format(clock))
        expect(wallText(date, 'fine', zone)).toBe(format({ ...clock, fractionalSecondDigits: 3 }))
        expect(wallText(date, 'date-time', zone)).toBe(format({ ...day, hour: '2-digit', minute: '2-digit' }))
      }
    }
    for (const count of [0, 7, 999, 1_000, 1_234_567, 1_234.5, -12_345])
      expect(grouped(count)).toBe(count.toLocaleString('en'))
  })

  test('say how far the local clock is ahead of UTC', () => {
    const ahead = (minutes: number) => Object.assign(new Date(), { getTimezoneOffset: () => -minutes })
    expect([0, 60, 330, -210].map(minutes => offsetText(ahead(minutes)))).toEqual([
      'UTC+0',
      'UTC+1',
      'UTC+5:30',
      'UTC-3:30',
    ])
  })
})

import { preferences } from './preferences.ts'

/** Times for people: local with the zone said, or UTC; both on hover. */
type Parts = 'time' | 'date-time' | 'fine'

const shapes = {
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  'date-time': {
    year: 'numeric',
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  },
  fine: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
} as const satisfies Readonly<Record<Parts, Intl.DateTimeFormatOptions>>

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(parts: Parts, zone: 'local' | 'utc'): Intl.DateTimeFormat {
  const key = `${parts} ${zone}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    ...shapes[parts],
    ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
  })
  formats.set(key, made)
  return made
}

export function momentText(time: string | number, parts: Parts): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? String(time) : formatOf(parts, preferences.zone.value).format(date)
}

/** `local 14:03:05 (Europe/Berlin), 13:03:05 UTC`. */
export function bothZones(time: string | number): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return String(time)
  const say = (zone: 'local' | 'utc'): string =>
    `${formatOf('date-time', zone).format(date)}:${String(date.getUTCSeconds()).padStart(2, '0')}`
  return `${say('local')} ${localZone}, ${say('utc')} UTC`
}

const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export function zoneName(): string {
  return preferences.zone.value === 'utc' ? 'UTC' : localZone
}

/** `just now`, `4 min ago`, `3 h ago`, `2 days ago`. */
export function agoText(time: string, nowMs: number): string {
  const minutes = Math.floor((nowMs - Date.parse(time)) / 60_000)
  if (!(minutes >= 1)) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`
  return `${Math.floor(minutes / 1_440)} days ago`
}

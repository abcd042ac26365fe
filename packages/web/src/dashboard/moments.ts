import { signal } from '@preact/signals'
import { preferences } from './preferences.ts'

/**
 * Times for people: local with the zone said, or UTC; both on hover. Written by hand: the first use of a browser's own date
 * format loads its tables of languages, which takes as long as drawing the page does.
 */
type Parts = 'time' | 'date-time' | 'fine'
type Zone = 'local' | 'utc'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

/** The same moment as the clock on the wall of that zone shows it, read as if it were UTC. */
function onWall(date: Date, zone: Zone): Date {
  return zone === 'utc' ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
}

function textOf(date: Date, parts: Parts, zone: Zone): string {
  const wall = onWall(date, zone)
  const iso = wall.toISOString()
  const time = iso.slice(iso.indexOf('T') + 1, -1)
  if (parts === 'fine') return time
  if (parts === 'time') return time.slice(0, 8)
  const day = String(wall.getUTCDate()).padStart(2, '0')
  return `${day} ${months[wall.getUTCMonth()]} ${wall.getUTCFullYear()}, ${time.slice(0, 5)}`
}

export function momentText(time: string | number, parts: Parts): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? String(time) : textOf(date, parts, preferences.zone.value)
}

/** `18 Nov 2026, 14:03:05 UTC+1, 18 Nov 2026, 13:03:05 UTC`. */
export function bothZones(time: string | number): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return String(time)
  const say = (zone: Zone): string =>
    `${textOf(date, 'date-time', zone)}:${String(date.getUTCSeconds()).padStart(2, '0')}`
  return `${say('local')} ${offsetText(date)}, ${say('utc')} UTC`
}

/** `UTC+1`, `UTC-3:30`: how far the local clock is ahead of UTC at a moment. */
function offsetText(date: Date): string {
  const ahead = -date.getTimezoneOffset()
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60]
  return `UTC${ahead < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`
}

const localZone = signal<string | undefined>(undefined)
/** Nobody waits for the name of the zone; until it is there its distance from UTC stands in its place. */
const nameAfterMs = 1_500

export function startZone(): void {
  setTimeout(() => {
    localZone.value = Intl.DateTimeFormat().resolvedOptions().timeZone
  }, nameAfterMs)
}

export function zoneName(): string {
  return preferences.zone.value === 'utc' ? 'UTC' : (localZone.value ?? offsetText(new Date()))
}

/** `just now`, `4 min ago`, `3 h ago`, `2 days ago`. */
export function agoText(time: string, nowMs: number): string {
  const minutes = Math.floor((nowMs - Date.parse(time)) / 60_000)
  if (!(minutes >= 1)) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`
  return `${Math.floor(minutes / 1_440)} days ago`
}

import { signal } from '@preact/signals'
import { preferences } from './preferences.ts'
import { offsetText, type Parts, wallText, type Zone } from './wall-clock.ts'

/** Times for people: local with the zone said, or UTC; both on hover. */

export function momentText(time: string | number, parts: Parts): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? String(time) : wallText(date, parts, preferences.zone.value)
}

/** `18 Nov 2026, 14:03:05 UTC+1, 18 Nov 2026, 13:03:05 UTC`. */
export function bothZones(time: string | number): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return String(time)
  const say = (zone: Zone): string =>
    `${wallText(date, 'date-time', zone)}:${String(date.getUTCSeconds()).padStart(2, '0')}`
  return `${say('local')} ${offsetText(date)}, ${say('utc')} UTC`
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

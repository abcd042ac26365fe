import { months } from 'weave-client'

/** What a clock on the wall of a zone shows; by hand, as in the client's `local-time.ts`. */
export type Parts = 'time' | 'date-time' | 'fine'
export type Zone = 'local' | 'utc'

/** The same moment as the clock on the wall of that zone shows it, read as if it were UTC. */
function onWall(date: Date, zone: Zone): Date {
  return zone === 'utc' ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
}

export function wallText(date: Date, parts: Parts, zone: Zone): string {
  const wall = onWall(date, zone)
  const iso = wall.toISOString()
  const time = iso.slice(iso.indexOf('T') + 1, -1)
  if (parts === 'fine') return time
  if (parts === 'time') return time.slice(0, 8)
  const day = String(wall.getUTCDate()).padStart(2, '0')
  return `${day} ${months[wall.getUTCMonth()]} ${wall.getUTCFullYear()}, ${time.slice(0, 5)}`
}

/** `UTC+1`, `UTC-3:30`: how far the local clock is ahead of UTC at a moment. */
export function offsetText(date: Date): string {
  const ahead = -date.getTimezoneOffset()
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60]
  return `UTC${ahead < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`
}

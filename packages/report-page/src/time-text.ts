/** `2026-01-31 12:00:05`, in UTC as everywhere in the program. */
export function timeText(time: string | number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(0, 19).replace('T', ' ')
}

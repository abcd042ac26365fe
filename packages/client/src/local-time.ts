/**
 * Times for people, by the clock where they are. Written by hand: the first use of a date format of the language loads its tables,
 * which takes 20 ms in Node.js and as long as drawing a page in a browser.
 */

/** `14:03:09`. What is no time is shown as it came. */
export function clockText(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? iso.slice(11, 19) : timeText(time)
}

/** `14:03:09`. */
export function timeText(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
}

/** `2026-03-01 14:03`. */
export function dateText(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso.slice(0, 16)
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${date} ${timeText(time).slice(0, 5)}`
}

export const months = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
] as const

function two(value: number): string {
  return String(value).padStart(2, '0')
}

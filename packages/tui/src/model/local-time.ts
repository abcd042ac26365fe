/** `14:03:09` where the person is. What is no time is shown as it came. */
export function clockText(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso.slice(11, 19)
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
}

/** `2026-03-01 14:03`. */
export function dateText(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso.slice(0, 16)
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${date} ${clockText(iso).slice(0, 5)}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

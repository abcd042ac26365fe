const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Milliseconds of an age such as `7d`; undefined for what is none. */
export function parseAge(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  return number === undefined || unit === undefined ? undefined : Number(number) * (units[unit] ?? 0)
}

const names = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** A size for people, such as `12.3 MB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(names.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${names[power]}`
}
